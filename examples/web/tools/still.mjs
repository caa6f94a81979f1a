// Makes still.webp, a picture of the page.

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { open, withBrowser } from "./browser.mjs";

const PLACE = fileURLToPath(new URL("../still.webp", import.meta.url));
const MOST = 60_000;

await withBrowser(300, async (browser, url) => {
  const { page, close } = await open(browser, `${url}?test`, {
    viewport: { width: 1180, height: 700 },
    colorScheme: "dark",
  });
  await page.evaluate(() => {
    // Frames are stepped without drawing, so there is no rate.
    document.querySelector("#fps").hidden = true;
    window.page.compare(true);
    window.page.start(0, 20_000, 1999);
    window.page.steps(120);
    window.page.draw();
  });
  const shot = (await page.screenshot()).toString("base64");
  // The best quality that fits.
  for (let quality = 85; quality >= 25; quality -= 5) {
    const encoded = await page.evaluate(
      async ([shot, quality]) => {
        const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${shot}`)).blob());
        const canvas = new OffscreenCanvas(picture.width, picture.height);
        canvas.getContext("2d").drawImage(picture, 0, 0);
        const blob = await canvas.convertToBlob({ type: "image/webp", quality: quality / 100 });
        return Array.from(new Uint8Array(await blob.arrayBuffer()));
      },
      [shot, quality],
    );
    if (encoded.length <= MOST) {
      writeFileSync(PLACE, Uint8Array.from(encoded));
      console.log(`${PLACE}: ${encoded.length} bytes, quality ${quality}`);
      await close();
      return;
    }
  }
  throw new Error(`the picture does not fit into ${MOST} bytes`);
});
