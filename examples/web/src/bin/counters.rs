//! Prints what the native library counts in each trial, and the last state, as JSON: what the page must have too.

use phalanx_web::scenes::NAMES;
use phalanx_web::trials::TRIALS;

fn main() -> Result<(), phalanx::Error> {
    let mut rows = Vec::new();
    for trial in TRIALS {
        let (counters, state) = trial.run()?;
        let state: String = state.iter().map(|byte| format!("{byte:02x}")).collect();
        let common = [
            counters.shapes,
            counters.pairs,
            counters.hits,
            counters.invalid,
        ];
        let counted = [trial.frames as usize]
            .into_iter()
            .chain(common)
            .map(|x| x.to_string());
        let counted: Vec<_> = counted.chain(counters.own.map(|x| x.to_string())).collect();
        let (name, counted) = (NAMES[trial.scene as usize], counted.join(","));
        let fields = [
            format!(r#""name":"{name}","scene":{}"#, trial.scene),
            format!(
                r#""len":{},"seed":{},"frames":{}"#,
                trial.len, trial.seed, trial.frames
            ),
            format!(r#""counters":[{counted}],"state":"{state}""#),
        ];
        rows.push(format!("{{{}}}", fields.join(",")));
    }
    println!("[{}]", rows.join(",\n"));
    Ok(())
}
