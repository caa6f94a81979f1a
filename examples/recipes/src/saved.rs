//! Saves shapes, pairs and settings by serde, with the feature of that name.

use phalanx::{
    Aabb, Capsule, Collider, ColliderId, Detector, Groups, HalfSpace, Hull, HullKinds, Hulls, Mark,
    Mesh, Obb, Pair, Plane, Point, Pose, Scene, SceneContacts, Settings, Sides, Simd, Sphere,
};
use serde_json::{from_str, json, to_string, to_value};

#[test]
fn shapes_and_pairs() {
    let sphere = Sphere {
        center: [0.1, -2.0, 1e-40],
        radius: 0.5,
    };
    let text = to_string(&sphere).unwrap();
    assert_eq!(text, r#"{"center":[0.1,-2.0,1e-40],"radius":0.5}"#);
    let read: Sphere = from_str(&text).unwrap();
    assert_eq!(bits(&read), bits(&sphere));

    let obb = Obb::from_wxyz([1.0, 2.0, 3.0], [0.1, 0.2, 0.3], [0.6, 0.0, 0.8, 0.0]);
    assert_eq!(from_str::<Obb>(&to_string(&obb).unwrap()).unwrap(), obb);
    let capsule = Capsule::between([0.0; 3], [0.0, 2.0, 0.0], 0.3);
    assert_eq!(
        from_str::<Capsule>(&to_string(&capsule).unwrap()).unwrap(),
        capsule
    );
    let aabb = Aabb {
        min: [-1.0; 3],
        max: [1.0; 3],
    };
    assert_eq!(from_str::<Aabb>(&to_string(&aabb).unwrap()).unwrap(), aabb);
    let point = Point {
        position: [1.0, 2.0, 3.0],
    };
    assert_eq!(
        from_str::<Point>(&to_string(&point).unwrap()).unwrap(),
        point
    );
    let plane = Plane {
        normal: [0.0, 1.0, 0.0],
        d: -1.0,
    };
    assert_eq!(
        from_str::<Plane>(&to_string(&plane).unwrap()).unwrap(),
        plane
    );
    let ground = HalfSpace {
        normal: [0.0, 1.0, 0.0],
        d: -1.0,
    };
    assert_eq!(
        from_str::<HalfSpace>(&to_string(&ground).unwrap()).unwrap(),
        ground
    );

    assert_eq!(to_value(Pair::new(3, 7)).unwrap(), json!({"a": 3, "b": 7}));
    let missing = from_str::<Sphere>(r#"{"center":[0,0,0]}"#).unwrap_err();
    assert!(missing.to_string().contains("radius"), "{missing}");
}

#[test]
fn settings() {
    let detector = Detector::new()
        .parallel(false)
        .margin(0.25)
        .unwrap()
        .simd(Simd::available().next().unwrap());
    let text = to_string(&detector.settings()).unwrap();
    assert_eq!(
        text,
        r#"{"simd":"scalar","parallel":false,"margin":0.25,"strict":false,"approaching":false,"build_step":16384}"#
    );
    assert_eq!(from_str::<Settings>(&text).unwrap(), detector.settings());
    // Saved before there were these settings.
    let before = text.replace(r#","approaching":false,"build_step":16384"#, "");
    assert_eq!(from_str::<Settings>(&before).unwrap(), detector.settings());

    // Saved on another CPU.
    let other = text.replace("scalar", "AVX-9000");
    let error = from_str::<Settings>(&other).unwrap_err().to_string();
    assert!(
        error.contains("AVX-9000") && error.contains("`scalar`"),
        "{error}"
    );
    for simd in Simd::available() {
        assert_eq!(from_str::<Simd>(&to_string(&simd).unwrap()).unwrap(), simd);
    }
}

#[test]
fn hulls() {
    let mut kinds = HullKinds::new();
    kinds.add(&[[0.1, 0.0, -2.0]]).unwrap();
    let segment = [[1.0; 3], [-1.0, 0.5, 1e-40]];
    kinds.add_rounded(&segment, 0.25).unwrap();
    let text = to_string(&kinds).unwrap();
    assert_eq!(
        text,
        "[{\"points\":[[0.1,0.0,-2.0]],\"radius\":0.0,\"discs\":null},\
         {\"points\":[[1.0,1.0,1.0],[-1.0,0.5,1e-40]],\"radius\":0.25,\"discs\":null}]"
    );
    let read: HullKinds = from_str(&text).unwrap();
    assert_eq!(format!("{read:?}"), format!("{kinds:?}"));
    assert_eq!((read.radius(0), read.radius(1)), (Some(0.0), Some(0.25)));
    let plain: HullKinds = from_str("[{\"points\":[[0.1,0.0,-2.0]]}]").unwrap();
    assert_eq!((plain.len(), plain.radius(0)), (1, Some(0.0)));

    let mut round = HullKinds::new();
    round.add_cylinder(0.5, 2.0, 0.125).unwrap();
    round.add_cone(0.5, 0.0, 0.0).unwrap();
    let text = to_string(&round).unwrap();
    assert_eq!(
        text,
        "[{\"points\":[],\"radius\":0.125,\"discs\":[[-2.0,0.5],[2.0,0.5]]},\
         {\"points\":[],\"radius\":0.0,\"discs\":[[0.0,0.5],[0.0,0.0]]}]"
    );
    let read: HullKinds = from_str(&text).unwrap();
    assert_eq!(format!("{read:?}"), format!("{round:?}"));
    assert_eq!(
        (read.discs(0), read.radius(0)),
        (round.discs(0), Some(0.125))
    );
    for (is, bad) in [
        ("-2.0,0.5", "-1.0,0.5"),
        ("[2.0,0.5]", "[2.0,0.25]"),
        ("-2.0,0.5", "-2.0,-0.5"),
    ] {
        let bad = text.replacen(is, bad, 1);
        assert!(from_str::<HullKinds>(&bad).is_err(), "{bad}");
    }

    let mut store = Hulls::new(&kinds);
    let hull = Hull::new(1, [0.1, 2.0, 3.0], [0.0, 0.6, 0.0, 0.8]);
    store.push(Hull { kind: 0, ..hull }).unwrap();
    let still = to_value(&store).unwrap();
    assert_eq!(
        (&still["displacements"], &still["turns"]),
        (&json!([]), &json!([]))
    );
    store
        .push_turning(hull, [0.0, -1.0, 0.0], [0.5, 0.0, 0.0])
        .unwrap();
    store.set_groups(1, Groups { is: 2, meets: 1 }).unwrap();
    store.set_body(0, 7).unwrap();
    let saved = to_value(&store).unwrap();
    let read: Hulls = serde_json::from_value(saved.clone()).unwrap();
    assert_eq!(to_value(&read).unwrap(), saved);
    assert_eq!(format!("{read:?}"), format!("{store:?}"));
    assert_eq!(
        (read.turn(1), read.turn(0)),
        (Some([0.5, 0.0, 0.0]), Some([0.0; 3]))
    );
    assert_eq!((read.groups(1), read.body(0)), (store.groups(1), Some(7)));

    let refused = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut saved = saved.clone();
        change(&mut saved);
        serde_json::from_value::<Hulls>(saved)
            .unwrap_err()
            .to_string()
    };
    let unknown = refused(&|saved| saved["hulls"][0]["kind"] = json!(2));
    assert_eq!(unknown, "hull is of kind 2, but the store has 2 kinds");
    let empty = refused(&|saved| saved["kinds"][1]["points"] = json!([]));
    assert_eq!(empty, "hull has 0 points, not 1 to 64");
    let many = refused(&|saved| saved["kinds"][0]["points"] = json!(vec![[0.0; 3]; 65]));
    assert_eq!(
        many,
        "hull has 65 points, not 1 to 64: add_outer takes more"
    );
    let far = refused(&|saved| saved["kinds"][0]["points"][0][1] = json!(1e30));
    assert!(far.contains("point[1]"), "{far}");
    let thin = refused(&|saved| saved["kinds"][0]["radius"] = json!(-1.0));
    assert!(thin.contains("radius of the hull is invalid"), "{thin}");
    for list in ["displacements", "turns", "groups", "bodies"] {
        let short = refused(&|saved| {
            let list = saved[list].as_array_mut().unwrap();
            list.truncate(1);
        });
        assert_eq!(short, format!("1 {list} of 2 hulls"));
    }
}

/// Some frames in which colliders move, come and go. Returns what they print.
fn frames(scene: &mut Scene, contacts: &mut SceneContacts, from: u32) -> Vec<String> {
    let frame = |frame: u32| {
        let ids: Vec<ColliderId> = scene.ids().collect();
        for (k, &id) in ids.iter().enumerate().skip(2) {
            let mut pose = scene.pose(id).unwrap();
            pose.position[1] -= 0.0625 * (1 + k % 3) as f64;
            scene.set_pose(id, pose).unwrap();
        }
        scene
            .remove(ids[2 + frame as usize % (ids.len() - 2)])
            .unwrap();
        let pose = Pose::at([f64::from(frame % 4), 1.0, 0.5]);
        let collider = [Collider::Sphere(0.5), Collider::Hull(0)][frame as usize % 2];
        scene.add(collider, pose, Mark::moving()).unwrap();
        scene.contacts(contacts).unwrap();
        let began: Vec<_> = contacts.began().collect();
        let ended: Vec<_> = contacts.ended().collect();
        format!("{began:?} {ended:?} {contacts:?}")
    };
    (from..from + 8).map(frame).collect()
}

#[test]
fn scene_goes_on_as_the_saved_one() {
    let mut scene = Scene::new();
    scene.set_origin([1024.0, 0.0, -512.5]).unwrap();
    scene.set_origin([0.0, 0.25, 0.0]).unwrap();
    scene.set_margin(0.125).unwrap();
    scene
        .add_hull_kind(&[
            [0.5; 3],
            [-0.5, 0.5, -0.5],
            [0.5, -0.5, -0.5],
            [-0.5, -0.5, 0.5],
        ])
        .unwrap();
    let corners = [
        [-9.0, 0.0, -9.0],
        [9.0, 0.0, -9.0],
        [9.0, 0.5, 9.0],
        [-9.0, 0.0, 9.0],
    ];
    let mut ground = Mesh::new(&corners, &[[0, 2, 1], [0, 3, 2]]).unwrap();
    ground.set_sides(Sides::Both);
    ground.set_groups(Groups { is: 1, meets: 7 });
    let unused = scene.add_mesh(Mesh::default());
    let ground = scene.add_mesh(ground);
    scene.remove_mesh(unused).unwrap();
    scene
        .add(Collider::Mesh(ground), Pose::default(), Mark::fixed())
        .unwrap();
    let wall = HalfSpace::new([1.0, 0.0, 0.0], 1.0);
    scene
        .add(Collider::HalfSpace(wall), Pose::default(), Mark::fixed())
        .unwrap();
    for k in 0..9 {
        let at = Pose::at([f64::from(k % 3), 0.5, f64::from(k / 3)]);
        let mark = Mark {
            body: k / 2,
            entity: k.into(),
            ..Mark::moving()
        };
        let id = scene
            .add(Collider::Obb([0.5, 0.25, 0.5]), at, mark)
            .unwrap();
        scene.set_displacement(id, [0.0, -1.0, 0.5]).unwrap();
    }
    let mut contacts = SceneContacts::new();
    let first = frames(&mut scene, &mut contacts, 0);
    assert!(first.iter().all(|frame| frame.contains("SceneContact {")));

    // The order in which slots were freed is saved, too.
    let ids: Vec<ColliderId> = scene.ids().collect();
    for id in [ids[3], ids[6], ids[4]] {
        scene.remove(id).unwrap();
    }

    let saved = to_value((&scene, &contacts)).unwrap();
    let read: (Scene, SceneContacts) = serde_json::from_value(saved.clone()).unwrap();
    assert_eq!(to_value((&read.0, &read.1)).unwrap(), saved);
    let (mut other, mut others) = read;
    assert_eq!(others, contacts);
    assert!(other.ids().eq(scene.ids()));
    let expected = frames(&mut scene, &mut contacts, 8);
    assert_eq!(frames(&mut other, &mut others, 8), expected);

    let refused = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut saved = saved[0].clone();
        change(&mut saved);
        let read = serde_json::from_value::<Scene>(saved);
        read.unwrap_err().to_string()
    };
    let taken = refused(&|saved| saved["free"] = json!([0]));
    assert_eq!(taken, "slot 0 is not free");
    let unknown = refused(&|saved| saved["meshes"][1] = json!(null));
    assert_eq!(unknown, "scene has no mesh 1");
    let origin = refused(&|saved| saved["margin"] = json!(-1.0));
    assert!(origin.contains("margin is -1"), "{origin}");
    let points = json!(vec![([0.0; 3], 0.0, 0); 5]);
    let mut many = saved[1].clone();
    many[0][0]["points"] = points;
    let many = serde_json::from_value::<SceneContacts>(many).unwrap_err();
    assert!(many.to_string().contains("at most 4 points"), "{many}");
}

fn bits(sphere: &Sphere) -> [u32; 4] {
    let [x, y, z] = sphere.center;
    [x, y, z, sphere.radius].map(f32::to_bits)
}
