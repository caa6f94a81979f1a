//! Saves shapes, pairs and settings by serde, with the feature of that name.

use phalanx::{
    Aabb, Capsule, Detector, HalfSpace, Obb, Pair, Plane, Point, Settings, Simd, Sphere,
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
        r#"{"simd":"scalar","parallel":false,"margin":0.25,"strict":false}"#
    );
    assert_eq!(from_str::<Settings>(&text).unwrap(), detector.settings());

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

fn bits(sphere: &Sphere) -> [u32; 4] {
    let [x, y, z] = sphere.center;
    [x, y, z, sphere.radius].map(f32::to_bits)
}
