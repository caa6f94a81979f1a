// Makes still.webp, the picture of README: bullets of the page without its panel, with labels that a phone can show.

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { open, withBrowser } from "./browser.mjs";

const PLACE = fileURLToPath(new URL("../still.webp", import.meta.url));
const MOST = 60_000;

await withBrowser(300, async (browser, url) => {
  const { page, close } = await open(browser, `${url}?test`, {
    viewport: { width: 960, height: 440 },
    colorScheme: "dark",
  });
  await page.evaluate(() => {
    document.querySelector("#panel").hidden = true;
    const style = document.createElement("style");
    style.textContent = "#labels span { font-size: 27px } .bad { margin-top: -52px } .good { margin-top: 62px }";
    document.head.append(style);
    window.page.start(1, 6_000, 1999);
    window.page.steps(240);
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
