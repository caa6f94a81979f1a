//! The report in words and tables.

use crate::measurements::{Bound, Measurements};
use crate::tables::{NONE, Table, number, percent, times};
use phalanx_bench::record::{Contest, Role, Side};

pub fn report(default: &Measurements, native: Option<&Measurements>) -> String {
    let mut sections = vec![
        head(default, native),
        candidates(default),
        rays(default),
        mesh(default),
        nearest(default),
        distances(default),
        hulls(default),
        contacts(default),
        impacts(default),
        kernels(default, native),
        in_frame(default),
        lanes(default),
        lists(default),
        sizes(default),
        threads(default),
        frame(default),
    ];
    sections.extend(default.bounds.as_deref().map(bounds));
    sections.join("\n\n") + "\n"
}

fn head(default: &Measurements, native: Option<&Measurements>) -> String {
    let mut text = format!(
        "# {}\n\n\
         Generated. To measure, and to write such a file and its plots:\n\n\
         ```sh\n\
         cargo bench -p phalanx-bench -- table\n\
         RUSTFLAGS=\"-C target-cpu=native\" CARGO_TARGET_DIR=target/native cargo bench -p phalanx-bench -- table  # optional\n\
         cargo run --release -p phalanx-bench --example report\n\
         ```\n\n\
         Each time is the median of rounds in which each side takes a turn, and each ratio the median \
         of the ratios within a round: on a machine with other work trust the ratios. A call is \
         measured whole: the check of the pair list, packing, the tests, and every output. Peers get \
         their shapes and poses ready to use, write their answers too, and are built with the same \
         flags. One thread, if nothing else is said.\n\n{}",
        default.machine.title(),
        default.machine
    );
    if let Some(native) = native {
        let machine = &native.machine;
        text += &format!(
            "\nBeside it, on {}, a build with RUSTFLAGS `{}`: the compiler could rely on {}.\n",
            machine.date,
            machine.rustflags.as_deref().unwrap_or(""),
            machine.target_features.join(", "),
        );
    }
    text.trim_end().into()
}

/// The sides of all contests, in order of appearance.
fn names<'c>(contests: impl IntoIterator<Item = &'c Contest>, role: Role) -> Vec<&'c str> {
    let mut names = Vec::new();
    for side in contests
        .into_iter()
        .flat_map(|contest| contest.of_role(role))
    {
        if !names.contains(&side.name.as_str()) {
            names.push(&side.name);
        }
    }
    names
}

/// Time of each peer, in units of 1 / `scale` ns, and the speed of a side relative to the peer.
fn against<'c>(
    peers: &'c [&str],
    contest: &'c Contest,
    side: &'c Side,
    scale: f64,
) -> impl Iterator<Item = String> + 'c {
    peers.iter().map(move |name| match contest.side(name) {
        Some(peer) => {
            let ratio = times(side.times_as_fast_as(peer));
            format!("{} ({ratio})", number(peer.median() * scale))
        }
        None => NONE.into(),
    })
}

/// The share of the pairs that touch.
fn hits(contest: &Contest) -> String {
    let hits = contest.hits.zip(contest.pairs);
    hits.map_or(NONE.into(), |(hits, pairs)| percent(hits, pairs))
}

fn time(side: Option<&Side>) -> String {
    side.map_or(NONE.into(), |side| number(side.median()))
}

/// Frames from shapes to pairs.
fn candidates(default: &Measurements) -> String {
    let contests = &default.candidates;
    let mut text = "## Frames\n\n\
        Boxes of about unit size that move before each frame, 1.6 pairs of bounds for each, in whole \
        frames 3. \
        `candidates` lists the pairs whose bounds touch, sorted; a peer lists them in no order. A whole \
        frame writes poses, finds candidates, tests which boxes touch and lists these. ms per frame, and \
        how many times as fast as the peer.\n\n"
        .to_owned();
    let (own, peers) = (names(contests, Role::Phalanx), names(contests, Role::Peer));
    let columns = ["work", "boxes", "pairs"].into_iter();
    let players = own.iter().chain(&peers).copied();
    let mut table = Table::new(columns.chain(players));
    for contest in contests {
        let Some(phalanx) = contest.of_role(Role::Phalanx).next() else {
            continue;
        };
        // Nanoseconds are per item.
        let ms = 1e-6 * contest.items as f64;
        let row = [
            contest.name.clone(),
            contest.scene.clone(),
            contest.pairs.map_or(NONE.into(), |pairs| pairs.to_string()),
        ];
        let sides = own.iter().map(|name| {
            let side = contest.side(name);
            side.map_or(NONE.into(), |side| number(side.median() * ms))
        });
        table.row(
            row.into_iter()
                .chain(sides)
                .chain(against(&peers, contest, phalanx, ms)),
        );
    }
    text += &table.to_string();
    text.trim_end().into()
}

/// Section on first hits of rays.
fn rays(default: &Measurements) -> String {
    let text = "## Rays\n\n\
        The first box that each of 10,000 rays hits, among boxes at rest; in a new level the tree is built too. ns per ray, and \
        how many times as fast as the peer.\n\n";
    by_scene(text, &default.rays)
}

/// Section on rays through a mesh, and on boxes on it.
fn mesh(default: &Measurements) -> String {
    let text = "## Meshes\n\n\
        The first triangle that each of 10,000 rays hits, and a frame of 1,000 boxes that rest on the mesh: candidates and \
        contacts. ns per ray or box, and how many times as fast as the peer.\n\n";
    by_scene(text, &default.mesh)
}

/// Section on nearest shapes.
fn nearest(default: &Measurements) -> String {
    let text = "## Nearest\n\n\
        The shape nearest to each of 10,000 points, within 100 m, among shapes at rest. ns per point, and how many times as fast \
        as the peer.\n\n";
    by_scene(text, &default.nearest)
}

/// Section on distances.
fn distances(default: &Measurements) -> String {
    let contests = &default.distances;
    let about = contests.first().map_or(NONE, |contest| &contest.about);
    let mut text = format!(
        "## Distances\n\n{about}: a lower and an upper bound of the distance of each, and one number by the peer. ns per pair, \
         and how many times as fast as the peer.\n\n"
    );
    let (own, peers) = (names(contests, Role::Phalanx), names(contests, Role::Peer));
    let columns = ["kernel", "touching"].into_iter();
    let mut table = Table::new(columns.chain(own.iter().chain(&peers).copied()));
    for contest in contests {
        let Some(phalanx) = contest.of_role(Role::Phalanx).next() else {
            continue;
        };
        let sides = own.iter().map(|name| time(contest.side(name)));
        let row = [contest.name.clone(), hits(contest)]
            .into_iter()
            .chain(sides);
        table.row(row.chain(against(&peers, contest, phalanx, 1.0)));
    }
    text += &table.to_string();
    text += &differing(contests);
    text.trim_end().into()
}

/// Section on convex hulls.
fn hulls(default: &Measurements) -> String {
    let mut text = "## Hulls\n\n\
        Rocks of 16 and 32 points in random poses, paired at random: close ones within 1.6 radii of the origin on each axis, others \
        within 4. Contacts are those of the pairs that touch. The frame: 5,000 rocks move, their candidates are found, and the contacts \
        of these. ns per pair or rock, and how many times as fast as the peer.\n\n"
        .to_owned();
    let contests = &default.hulls;
    let (own, peers) = (names(contests, Role::Phalanx), names(contests, Role::Peer));
    let columns = ["verb", "scene", "touching"].into_iter();
    let mut table = Table::new(columns.chain(own.iter().chain(&peers).copied()));
    for contest in contests {
        let Some(phalanx) = contest.of_role(Role::Phalanx).next() else {
            continue;
        };
        let sides = own.iter().map(|name| time(contest.side(name)));
        let row = [contest.name.clone(), contest.scene.clone(), hits(contest)]
            .into_iter()
            .chain(sides);
        table.row(row.chain(against(&peers, contest, phalanx, 1.0)));
    }
    text += &table.to_string();
    text += &differing(contests);
    text.trim_end().into()
}

/// A table with a row for each scene.
fn by_scene(text: &str, contests: &[Contest]) -> String {
    let mut text = text.to_owned();
    let (own, peers) = (names(contests, Role::Phalanx), names(contests, Role::Peer));
    let columns = ["scene", "hits"].into_iter();
    let mut table = Table::new(columns.chain(own.iter().chain(&peers).copied()));
    for contest in contests {
        let Some(phalanx) = contest.of_role(Role::Phalanx).next() else {
            continue;
        };
        let hits = contest.hits.map_or(NONE.into(), |hits| hits.to_string());
        let sides = own.iter().map(|name| time(contest.side(name)));
        let row = [contest.scene.clone(), hits].into_iter().chain(sides);
        table.row(row.chain(against(&peers, contest, phalanx, 1.0)));
    }
    text += &table.to_string();
    text.trim_end().into()
}

/// Cost of contacts: by pair, by hit, and without hits. Calls after other work.
fn in_frame(default: &Measurements) -> String {
    let contests = &default.in_frame;
    let mut text = "## Calls within a frame\n\n\
        As a frame makes them: once, after some milliseconds of other work on 8 MB. 16k pairs of 4k shapes that may have \
        changed, ns per pair, and how many times as fast as the peer.\n\n"
        .to_owned();
    let (own, peers) = (names(contests, Role::Phalanx), names(contests, Role::Peer));
    let mut table = Table::new(["kernel"].iter().chain(&own).chain(&peers).copied());
    for contest in contests {
        let Some(phalanx) = contest.of_role(Role::Phalanx).next() else {
            continue;
        };
        let sides = own.iter().map(|name| time(contest.side(name)));
        let named = [contest.name.clone()].into_iter().chain(sides);
        table.row(named.chain(against(&peers, contest, phalanx, 1.0)));
    }
    text += &table.to_string();
    text.trim_end().into()
}

fn contacts(default: &Measurements) -> String {
    let of_unit = |unit: &'static str| {
        let contests = default.contacts.iter();
        contests.filter(move |contest| contest.unit == unit)
    };
    let (all, misses): (Vec<_>, Vec<_>) =
        of_unit("pair").partition(|contest| contest.hits != Some(0));
    let about = all.first().map_or(NONE, |contest| &contest.about);
    let peers = names(all.iter().copied(), Role::Peer);
    let mut text = format!(
        "## Contacts\n\n{about}, each once. `contact` finds where, how deep and which way the pairs touch that \
         `overlap` finds; a peer writes an answer for each pair that touches. ns per pair, and how many \
         times as fast as the peer `contact` is.\n\n"
    );
    let head = ["kernel", "hits", "overlap", "contact"];
    let mut table = Table::new(head.iter().chain(&peers).copied());
    for contest in &all {
        let Some(contact) = contest.side("contact") else {
            continue;
        };
        let overlap = time(contest.side("overlap"));
        let named = [contest.name.clone(), hits(contest), overlap];
        let times = named.into_iter().chain([number(contact.median())]);
        table.row(times.chain(against(&peers, contest, contact, 1.0)));
    }
    text += &table.to_string();

    text += "\nWhat `contact` takes longer than `overlap`, in ns per hit, and how many times as fast that is \
        as a peer that is given the hits alone.\n\n";
    let mut table = Table::new(["kernel", "beyond overlap"].iter().chain(&peers).copied());
    for contest in of_unit("hit") {
        let Some(beyond) = contest.of_role(Role::Phalanx).next() else {
            continue;
        };
        let named = [contest.name.clone(), number(beyond.median())];
        let peers = against(&peers, contest, beyond, 1.0);
        table.row(named.into_iter().chain(peers));
    }
    text += &table.to_string();

    text += "\nOf pairs none of which touches, in ns per pair, and the time of `contact` in that of \
        `overlap`.\n\n";
    let mut table = Table::new(["kernel", "overlap", "contact", "of overlap's time"]);
    for contest in misses {
        let (Some(contact), Some(overlap)) = (contest.side("contact"), contest.side("overlap"))
        else {
            continue;
        };
        let ratio = times(overlap.times_as_fast_as(contact));
        let sides = [overlap, contact].map(|side| number(side.median()));
        let named = [contest.name.clone()].into_iter().chain(sides);
        table.row(named.chain([ratio]));
    }
    text += &table.to_string();
    text += &differing(all.iter().copied());
    text.trim_end().into()
}

/// Cost of impacts of rotating boxes, with two tolerances.
fn impacts(default: &Measurements) -> String {
    let contests = &default.impacts;
    let mut text = "## Impacts\n\n".to_owned();
    let mut scenes: Vec<&str> = Vec::new();
    for contest in contests {
        if !scenes.contains(&contest.scene.as_str()) {
            text += &format!("- {}: {}\n", contest.scene, contest.about);
            scenes.push(&contest.scene);
        }
    }
    text += "\nWhen pairs first touch: `impact` within 1e-3 beside `cast_shapes_nonlinear`, and within 5e-3 beside \
        `sweep_time_of_impact`, of which that is the slop. A peer writes a time for each pair, and gets a large \
        cuboid for a half-space. ns per pair, and how many times as fast as the peer `impact` is.\n\n";
    let (phalanx, peers) = (names(contests, Role::Phalanx), names(contests, Role::Peer));
    let both = phalanx.iter().zip(&peers);
    let head = both.clone().flat_map(|(own, peer)| [*own, *peer]);
    let named = ["kernel", "scene", "hits"].into_iter();
    let mut table = Table::new(named.chain(head));
    for contest in contests {
        let named = [contest.name.clone(), contest.scene.clone(), hits(contest)];
        let sides = both.clone().flat_map(|(own, peer)| {
            let own = contest.side(own);
            let peer = own.and_then(|own| against(&[peer], contest, own, 1.0).next());
            [time(own), peer.unwrap_or(NONE.into())]
        });
        table.row(named.into_iter().chain(sides));
    }
    text += &table.to_string();
    text += &differing(contests);
    text += "\n![A plank that swings through a post](../plots/impact.svg)\n";
    text.trim_end().into()
}

fn kernels(default: &Measurements, native: Option<&Measurements>) -> String {
    let contests = &default.kernels;
    let mut text = "## Kernels\n\n".to_owned();
    let mut scenes: Vec<&str> = Vec::new();
    for contest in contests {
        if !scenes.contains(&contest.scene.as_str()) {
            text += &format!("- {}: {}\n", contest.scene, contest.about);
            scenes.push(&contest.scene);
        }
    }
    text += &format!(
        "\nns per pair. In brackets, how many times as fast as the peer phalanx is on {}. \"One to \
         all\" is `Pairs::one_to_all`. A list comes again with each call, and of a few thousand \
         pairs a CPU learns by heart which touch: peers that branch on answers look better on the \
         first scene than on pairs that come for the first time. The larger ones show that, and the \
         [list in random order](#lengths-of-lists) over 4k shapes.\n",
        default.machine.simd,
    );
    text += &format!("\n### Default build\n\n{}", kernel_table(default));
    if let Some(native) = native {
        let flags = native.machine.rustflags.as_deref().unwrap_or("no flags");
        text += &format!("\n### `{flags}`\n\n{}", kernel_table(native));
    }
    text += "\n### In plots\n\n\
        ![Times as fast as peers, all kernels](../plots/speedup.svg)\n\n\
        ![Times as fast as peers, a million pairs](../plots/speedup-long.svg)\n";
    text += &calls(default);
    text += &differing(contests);
    text.trim_end().into()
}

fn kernel_table(measurements: &Measurements) -> String {
    let contests = &measurements.kernels;
    let (phalanx, peers) = (names(contests, Role::Phalanx), names(contests, Role::Peer));
    let head = ["kernel", "scene", "hits"].iter();
    let mut table = Table::new(head.chain(&phalanx).chain(&peers).copied());
    for contest in contests {
        let Some(best) = contest.of_role(Role::Phalanx).next() else {
            continue;
        };
        let times = phalanx.iter().map(|name| time(contest.side(name)));
        let peers = against(&peers, contest, best, 1.0);
        let named = [contest.name.clone(), contest.scene.clone(), hits(contest)];
        table.row(named.into_iter().chain(times).chain(peers));
    }
    table.to_string()
}

/// Calls of the peers.
fn calls(measurements: &Measurements) -> String {
    let mut text = "\n### Who was asked how\n\n".to_owned();
    for peer in names(measurements.first_scene(), Role::Peer) {
        // Each call once, with all its kernels.
        let mut calls: Vec<(&str, Vec<&str>)> = Vec::new();
        for contest in measurements.first_scene() {
            let Some(call) = contest.side(peer).and_then(|side| side.call.as_deref()) else {
                continue;
            };
            match calls.iter_mut().find(|(known, _)| *known == call) {
                Some((_, kernels)) => kernels.push(&contest.name),
                None => calls.push((call, vec![&contest.name])),
            }
        }
        let calls = calls
            .iter()
            .map(|(call, kernels)| format!("{call} ({})", kernels.join(", ")));
        text += &format!("- {peer}: {}\n", calls.collect::<Vec<_>>().join("; "));
    }
    text
}

/// Number of pairs on which peers differ.
fn differing<'c>(contests: impl IntoIterator<Item = &'c Contest>) -> String {
    let mut text = String::new();
    for contest in contests {
        let sides = contest.sides.iter().filter(|side| side.different > 0);
        let sides = sides.map(|side| format!("{} {}", side.name, side.different));
        let sides: Vec<_> = sides.collect();
        if !sides.is_empty() {
            let pairs = contest.pairs.unwrap_or(contest.items);
            let Contest { name, scene, .. } = contest;
            text += &format!("- {name}, {scene}: {} of {pairs}\n", sides.join(", "));
        }
    }
    if text.is_empty() {
        return text;
    }
    format!("\nAnswers of peers that are others than those of phalanx:\n\n{text}")
}

fn lanes(measurements: &Measurements) -> String {
    let contests: Vec<_> = measurements.first_scene().collect();
    let sets = names(contests.iter().copied(), Role::Phalanx);
    let mut text = format!(
        "## Lanes\n\n\
         ![ns per pair by instruction set](../plots/lanes.svg)\n\n\
         How many times as fast as on the next smaller instruction set, on scene {}.\n\n",
        contests.first().map_or(NONE, |contest| &contest.scene)
    );
    let steps: Vec<_> = sets.windows(2).collect();
    let head = steps
        .iter()
        .map(|step| format!("{} / {}", step[0], step[1]));
    let mut table = Table::new(["kernel".to_owned()].into_iter().chain(head));
    for contest in contests {
        let ratio = |step: &&[&str]| {
            let sides = contest.side(step[0]).zip(contest.side(step[1]));
            sides.map_or(NONE.into(), |(more, less)| {
                times(more.times_as_fast_as(less))
            })
        };
        table.row(
            [contest.name.clone()]
                .into_iter()
                .chain(steps.iter().map(ratio)),
        );
    }
    text += &table.to_string();
    text.trim_end().into()
}

fn lists(measurements: &Measurements) -> String {
    let mut text = "## Lengths of lists\n\n\
        ![ns per pair against the length of the list](../plots/lists.svg)\n\n\
        Short lists take their pairs from all over the store, in order. The last of each store is a \
        million pairs in random order. \"Stores at rest\" have not changed since earlier calls, on one \
        thread; otherwise, here as in all tables but those of one to all, a detector is given columns \
        that may have changed.\n\n\
        A call, in ns, by how many pairs it has:\n\n"
        .to_owned();

    let contests = &measurements.lists;
    let (phalanx, peers) = (names(contests, Role::Phalanx), names(contests, Role::Peer));
    const SHORT: [usize; 3] = [1, 8, 32];
    let cells = SHORT.iter().flat_map(|pairs| {
        let named = move |name: &&str| format!("{pairs}, {name}");
        phalanx.iter().chain(&["first peer"]).map(named)
    });
    let mut table = Table::new(
        ["kernel", "store"]
            .map(String::from)
            .into_iter()
            .chain(cells),
    );
    for first in contests.iter().filter(|contest| contest.items == SHORT[0]) {
        let cells = SHORT.iter().flat_map(|&pairs| {
            let is_same = |contest: &&Contest| {
                contest.items == pairs
                    && contest.name == first.name
                    && contest.shapes == first.shapes
            };
            let contest = contests.iter().find(is_same);
            let per_call = move |side: &Side| number(side.median() * pairs as f64);
            let mut times: Vec<_> = phalanx
                .iter()
                .map(|name| contest.and_then(|contest| contest.side(name)))
                .collect();
            times.push(contest.and_then(|contest| contest.of_role(Role::Peer).next()));
            times
                .into_iter()
                .map(move |side| side.map_or(NONE.into(), per_call))
        });
        let named = [first.name.clone(), first.shapes.to_string()];
        table.row(named.into_iter().chain(cells));
    }
    text += &table.to_string();

    text += "\nns per pair. In brackets, how many times as fast as the peer one thread is.\n\n";
    let head = ["kernel", "pairs of shapes"]
        .iter()
        .chain(&phalanx)
        .chain(&peers);
    let mut table = Table::new(head.copied());
    for contest in contests {
        let Some(serial) = contest.of_role(Role::Phalanx).next() else {
            continue;
        };
        let times = phalanx.iter().map(|name| time(contest.side(name)));
        let peers = against(&peers, contest, serial, 1.0);
        let named = [contest.name.clone(), contest.scene.clone()];
        table.row(named.into_iter().chain(times).chain(peers));
    }
    text += &table.to_string();
    text.trim_end().into()
}

fn sizes(measurements: &Measurements) -> String {
    let contests = &measurements.sizes;
    let scenes = names(contests, Role::Phalanx);
    let mut text = "## Sizes\n\n\
        What a pair costs, in ns, in scenes that take turns, and how many times what it costs in the \
        first. The last row only adds the indices of the list: nothing that is given one can be flatter.\n\n"
        .to_owned();
    let ratio = |side: &Side, first: &Side| first.times_as_fast_as(side);
    text += &beside_first(contests, &scenes, ratio);
    text.trim_end().into()
}

/// A row for each contest: times, and the ratio of each side to the first.
fn beside_first(contests: &[Contest], sides: &[&str], ratio: fn(&Side, &Side) -> f64) -> String {
    let mut table = Table::new(["kernel"].iter().chain(sides).copied());
    for contest in contests {
        let Some(first) = contest.sides.first() else {
            continue;
        };
        let cells = contest.sides.iter().enumerate().map(|(k, side)| {
            let time = number(side.median());
            match k {
                0 => time,
                _ => format!("{time} ({})", times(ratio(side, first))),
            }
        });
        table.row([contest.name.clone()].into_iter().chain(cells));
    }
    table.to_string()
}

fn threads(measurements: &Measurements) -> String {
    let contests = &measurements.threads;
    let counts = names(contests, Role::Phalanx);
    let mut text = "## Threads\n\n\
        ![Speed-up by threads](../plots/threads.svg)\n\n\
        A million pairs, in ns per pair, and how many times as fast as one thread. The last row is a \
        loop in registers that shares nothing: what the threads of this machine can bring at all.\n\n"
        .to_owned();
    text += &beside_first(contests, &counts, Side::times_as_fast_as);
    text.trim_end().into()
}

fn frame(measurements: &Measurements) -> String {
    let named = |name: &'static str| {
        let contests = measurements.frame.iter();
        contests.filter(move |contest| contest.name == name)
    };
    let recorded = measurements.frame.iter();
    let recorded = recorded.filter(|contest| contest.scene == "recorded");
    [
        parts(&named("frame").collect::<Vec<_>>()),
        of_an_engine(&recorded.collect::<Vec<_>>()),
        named("updating").map(updating).collect(),
        named("update or test").map(update_or_test).collect(),
    ]
    .join("\n\n")
}

/// A whole frame and its parts.
fn parts(contests: &[&Contest]) -> String {
    let about = contests.first().map_or(NONE, |contest| &contest.about);
    let mut text = format!(
        "## Whole frames\n\n{about}: poses written, pairs tested, hits listed. ms, and how many times \
         as fast as the peer.\n\n"
    );
    let peers = names(contests.iter().copied(), Role::Peer);
    let mut table = Table::new(["part", "phalanx"].iter().chain(&peers).copied());
    for contest in contests {
        let Some(phalanx) = contest.of_role(Role::Phalanx).next() else {
            continue;
        };
        const MS: f64 = 1e-6;
        let time = number(phalanx.median() * MS);
        let peers = against(&peers, contest, phalanx, MS);
        table.row([contest.scene.clone(), time].into_iter().chain(peers));
    }
    text += &table.to_string();
    text.trim_end().into()
}

/// Pairs of a broadphase.
fn of_an_engine(contests: &[&Contest]) -> String {
    let about = contests.first().map_or(NONE, |contest| &contest.about);
    let mut text = format!(
        "### Pairs of a physics engine\n\nThe {about}; ns per pair, and how many times as fast as the \
         peer phalanx is.\n\n"
    );
    let peers = names(contests.iter().copied(), Role::Peer);
    let head = ["kernel", "pairs", "hits", "phalanx"];
    let mut table = Table::new(head.iter().chain(&peers).copied());
    for contest in contests {
        let side = contest.of_role(Role::Phalanx).next();
        let (Some(phalanx), Some(pairs)) = (side, contest.pairs) else {
            continue;
        };
        let per_pair = contest.items as f64 / pairs as f64;
        let time = number(phalanx.median() * per_pair);
        let peers = against(&peers, contest, phalanx, per_pair);
        let named = [contest.name.clone(), pairs.to_string(), hits(contest), time];
        table.row(named.into_iter().chain(peers));
    }
    text += &table.to_string();
    text.trim_end().into()
}

/// Methods to write shapes into a store, compared with a copy.
fn updating(contest: &Contest) -> String {
    let mut text = format!(
        "### Updating\n\n{} moved each frame: ns per {}, and how many times the time of a plain \
         copy.\n\n",
        contest.about, contest.unit,
    );
    let copy = contest.of_role(Role::Peer).next();
    let mut table = Table::new(["way", "ns", "of a copy's time"]);
    for side in &contest.sides {
        let ratio = copy.map_or(NONE.into(), |copy| times(copy.times_as_fast_as(side)));
        table.row([format!("`{}`", side.name), number(side.median()), ratio]);
    }
    text += &table.to_string();
    text.trim_end().into()
}

/// Work before tests, compared with a test.
fn update_or_test(contest: &Contest) -> String {
    let sides = contest.sides.iter();
    let sides = sides.map(|side| format!("{} {} ns", side.name, number(side.median())));
    let sides: Vec<_> = sides.collect();
    format!(
        "With {}: {}. The first holds the test of a third as many pairs that are far apart, the second its \
         share of packing.",
        contest.about,
        sides.join(", "),
    )
}

fn bounds(bounds: &[Bound]) -> String {
    let cpu = bounds.first().map_or("", |bound| &bound.cpu);
    let mut text = format!(
        "## Static bound\n\n\
         Cycles per pair. Bound: what the loop over packed rows takes at least, by the throughput of \
         its instructions on {cpu}, as llvm-mca knows them (`.ci/bounds`). Simulated: with \
         instructions that wait for each other. Measured: a whole call on 16k in its fastest round, \
         with the check of the list and packing, which are a tenth to a quarter of it.\n\n"
    );
    let mut table = Table::new([
        "kernel",
        "instruction set",
        "bound",
        "simulated",
        "measured",
        "of the bound",
    ]);
    for bound in bounds {
        let least = bound.bound_cycles_per_pair;
        let measured = bound.measured_cycles_per_pair;
        table.row([
            format!("`{}`", bound.kernel),
            bound.simd.clone(),
            number(least),
            number(bound.simulated_cycles_per_pair),
            measured.map_or(NONE.into(), number),
            measured.map_or(NONE.into(), |measured| times(measured / least)),
        ]);
    }
    text += &table.to_string();
    text.trim_end().into()
}
