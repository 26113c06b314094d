//! Small graphs, put together by hand.

use super::proto::{AttributeProto, DimensionProto, ShapeProto, TensorTypeProto, TypeProto};
use super::*;
use crate::network::{Activation, Layer};
use proptest::prelude::*;

fn tensor(name: &str, dims: &[i64], values: &[f32]) -> TensorProto {
    let raw_data = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    TensorProto { name: name.into(), dims: dims.into(), data_type: 1, raw_data, ..TensorProto::default() }
}

fn node(op_type: &str, input: &[&str], output: &str, attribute: Vec<AttributeProto>) -> NodeProto {
    let input = input.iter().map(|name| (*name).to_owned()).collect();
    NodeProto { op_type: op_type.into(), input, output: vec![output.into()], attribute }
}

fn attribute(name: &str) -> AttributeProto {
    AttributeProto { name: name.into(), ..AttributeProto::default() }
}

fn ints(name: &str, ints: &[i64]) -> AttributeProto {
    AttributeProto { ints: ints.into(), ..attribute(name) }
}

fn floats(name: &str, floats: &[f32]) -> AttributeProto {
    AttributeProto { floats: floats.into(), ..attribute(name) }
}

fn int(name: &str, i: i64) -> AttributeProto {
    AttributeProto { i, ..attribute(name) }
}

fn text(name: &str, text: &str) -> AttributeProto {
    AttributeProto { s: text.into(), ..attribute(name) }
}

fn strings(name: &str, strings: &[&str]) -> AttributeProto {
    AttributeProto {
        strings: strings.iter().map(|text| text.as_bytes().to_vec()).collect(),
        ..attribute(name)
    }
}

/// A file with the input `x`, whose first side is open.
fn file(sides: &[i64], initializer: Vec<TensorProto>, node: Vec<NodeProto>) -> Vec<u8> {
    let open = DimensionProto { dim_value: None };
    let sides = sides.iter().map(|side| DimensionProto { dim_value: Some(*side) });
    let shape = ShapeProto { dim: std::iter::once(open).chain(sides).collect() };
    let kind = TypeProto { tensor_type: Some(TensorTypeProto { shape: Some(shape) }) };
    let input = vec![ValueProto { name: "x".into(), r#type: Some(kind) }];
    ModelProto { graph: Some(GraphProto { node, initializer, input }) }.encode_to_vec()
}

fn scores(model: &Model, row: &[f64]) -> Vec<f64> {
    let mut scores = vec![0.0; model.outputs()];
    model.scores(row, &mut scores).unwrap();
    scores
}

/// Two inputs, a hidden layer as scikit-learn writes it, another as PyTorch does, probabilities and labels.
fn dense() -> Vec<u8> {
    let constants = vec![
        tensor("w0", &[2, 3], &[1.0, 2.0, -1.0, 0.5, -0.25, 4.0]),
        tensor("b0", &[1, 3], &[0.5, -0.5, 0.0]),
        tensor("w1", &[2, 3], &[1.0, 0.0, 2.0, -1.0, 1.0, 0.0]),
        tensor("b1", &[2], &[0.25, 3.0]),
        tensor("classes", &[2], &[0.0, 1.0]),
    ];
    let nodes = vec![
        node("Cast", &["x"], "cast", vec![int("to", 1)]),
        node("MatMul", &["cast", "w0"], "product", vec![]),
        node("Add", &["product", "b0"], "sum", vec![]),
        node("Relu", &["sum"], "hidden", vec![]),
        node("Gemm", &["hidden", "w1", "b1"], "logits", vec![int("transB", 1)]),
        node("Softmax", &["logits"], "probabilities", vec![int("axis", 1)]),
        node("ArgMax", &["probabilities"], "index", vec![]),
        node("ArrayFeatureExtractor", &["classes", "index"], "label", vec![]),
        node("ZipMap", &["probabilities"], "map", vec![]),
    ];
    file(&[2], constants, nodes)
}

#[test]
fn a_dense_network_is_read() {
    let model = read(&dense()).unwrap();
    // Hidden: (1 + .5 + .5, 2 - .25 - .5, -1 + 4) = (2, 1.25, 3).
    assert_eq!(scores(&model, &[1.0, 1.0]), [8.25, 2.25]);
    assert_eq!(model.predict(&[1.0, 1.0]), Ok(0));
    let Model::Network(network) = model else { panic!("a network") };
    assert_eq!((network.inputs(), network.layers().len()), (2, 3));
}

#[test]
fn convolutions_and_pools_are_read() {
    let constants = vec![
        tensor("w", &[2, 1, 2, 2], &[1.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 2.0]),
        tensor("b", &[2], &[0.5, 0.0]),
        TensorProto {
            name: "shape".into(),
            dims: vec![2],
            data_type: 7,
            int64_data: vec![-1, 2],
            ..TensorProto::default()
        },
    ];
    let nodes = |pool: NodeProto| {
        vec![
            node(
                "Conv",
                &["x", "w", "b"],
                "c",
                vec![ints("pads", &[0, 0, 1, 1]), ints("kernel_shape", &[2, 2])],
            ),
            pool,
            node("Reshape", &["p", "shape"], "y", vec![]),
        ]
    };
    let whole = vec![ints("kernel_shape", &[3, 3])];
    let model = |pool| read(&file(&[1, 3, 3], constants.clone(), nodes(pool))).unwrap();
    let row = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
    // First channel: (6, 8, 3 | 12, 14, 6 | 7, 8, 9) + .5; second: (9, 10, -3 | 12, 13, -6 | -7, -8, -9).
    assert_eq!(scores(&model(node("MaxPool", &["c"], "p", whole.clone())), &row), [14.5, 13.0]);
    let means = scores(&model(node("AveragePool", &["c"], "p", whole)), &row);
    assert_eq!(means, scores(&model(node("GlobalAveragePool", &["c"], "p", vec![])), &row));
    assert!((means[0] - (73.0 / 9.0 + 0.5)).abs() < 1e-12 && (means[1] - 11.0 / 9.0).abs() < 1e-12);
}

#[test]
fn gelu_is_known_in_both_spellings() {
    let weights = vec![tensor("w", &[1, 1], &[2.0])];
    let constant = |value: f32, name: &str| {
        let value = AttributeProto { t: Some(tensor("", &[], &[value])), ..attribute("value") };
        node("Constant", &[], name, vec![value])
    };
    let long = vec![
        constant(std::f32::consts::SQRT_2, "root"),
        constant(1.0, "one"),
        constant(0.5, "half"),
        node("MatMul", &["x", "w"], "y", vec![]),
        node("Div", &["y", "root"], "d", vec![]),
        node("Erf", &["d"], "e", vec![]),
        node("Add", &["e", "one"], "a", vec![]),
        node("Mul", &["y", "a"], "m", vec![]),
        node("Mul", &["m", "half"], "g", vec![]),
    ];
    let short = vec![node("MatMul", &["x", "w"], "y", vec![]), node("Gelu", &["y"], "g", vec![])];
    let long = read(&file(&[1], weights.clone(), long)).unwrap();
    assert_eq!(long, read(&file(&[1], weights, short)).unwrap());
    assert_eq!(scores(&long, &[0.5]), [Activation::Gelu.value(1.0)]);
}

#[test]
fn a_last_sigmoid_is_left_out() {
    let nodes = vec![node("MatMul", &["x", "w"], "y", vec![]), node("Sigmoid", &["y"], "p", vec![])];
    let model = read(&file(&[1], vec![tensor("w", &[1, 1], &[2.0])], nodes)).unwrap();
    assert_eq!(
        (scores(&model, &[-3.0]), model.predict(&[-3.0]), model.predict(&[3.0])),
        (vec![-6.0], Ok(0), Ok(1))
    );
}

/// One score whose sigmoid is the second of two probabilities, as scikit-learn's perceptron for two classes ends.
fn two_classes(both: [&str; 2]) -> Result<Model, ModelError> {
    let nodes = vec![
        node("MatMul", &["x", "w"], "y", vec![]),
        node("Sigmoid", &["y"], "p", vec![]),
        node("Sub", &["one", "p"], "q", vec![]),
        node("Concat", &both, "probabilities", vec![int("axis", 1)]),
        node("ArgMax", &["probabilities"], "label", vec![]),
    ];
    read(&file(&[1], vec![tensor("w", &[1, 1], &[2.0]), tensor("one", &[], &[1.0])], nodes))
}

#[test]
fn two_probabilities_of_one_score_are_left_out() {
    let model = two_classes(["q", "p"]).unwrap();
    assert_eq!((model.outputs(), model.predict(&[-3.0]), model.predict(&[3.0])), (1, Ok(0), Ok(1)));
    let turned = two_classes(["p", "q"]).unwrap_err().to_string();
    assert!(turned.contains("1 - p and p"), "{turned}");
}

#[test]
fn linear_models_with_mirrored_rows_have_one_margin() {
    let linear = |coefficients: &[f32], intercepts: &[f32]| {
        let attributes = vec![
            floats("coefficients", coefficients),
            floats("intercepts", intercepts),
            ints("classlabels_ints", &[0, 1]),
            text("post_transform", "LOGISTIC"),
        ];
        let nodes = vec![
            node("LinearClassifier", &["x"], "label", attributes),
            node("Normalizer", &["p"], "probabilities", vec![text("norm", "L1")]),
        ];
        read(&file(&[2], vec![], nodes)).unwrap()
    };
    assert_eq!(scores(&linear(&[-1.0, 2.0, 1.0, -2.0], &[-0.5, 0.5]), &[1.0, 0.25]), [1.0]);
    assert_eq!(scores(&linear(&[-1.0, 2.0, 1.0, 2.0], &[-0.5, 0.5]), &[1.0, 0.25]), [-1.0, 2.0]);
}

/// A linear node of two inputs, without intercepts.
fn linear_node(operator: &str, coefficients: &[f32], others: Vec<AttributeProto>) -> NodeProto {
    let attributes = [vec![floats("coefficients", coefficients)], others].concat();
    node(operator, &["x"], "y", attributes)
}

#[test]
fn regressors_have_scores_and_no_labels() {
    let mut trees = stump("BRANCH_LEQ", &[0, 0], &[0.75, 0.25]);
    for attribute in &mut trees {
        attribute.name = attribute.name.replace("class_", "target_");
    }
    let line = linear_node("LinearRegressor", &[1.0], vec![int("targets", 1)]);
    let values = linear_node("LinearRegressor", &[1.0, -1.0], vec![int("targets", 2)]);
    for (node, expected) in [
        (line, vec![0.5]),
        (values, vec![0.5, -0.5]),
        (node("TreeEnsembleRegressor", &["x"], "y", trees), vec![0.75]),
    ] {
        let model = read(&file(&[1], vec![], vec![node])).unwrap();
        assert_eq!((scores(&model, &[0.5]), model.predict(&[0.5])), (expected, Err(ModelError::Values)));
    }
}

#[test]
fn a_linear_classifier_has_a_score_for_each_class() {
    let classes = |count: i64| {
        let labels: Vec<i64> = (0..count).collect();
        let attributes = vec![floats("intercepts", &[0.0, 0.5, 1.0]), ints("classlabels_ints", &labels)];
        read(&file(&[1], vec![], vec![linear_node("LinearClassifier", &[1.0, 2.0, 3.0], attributes)]))
    };
    assert_eq!(classes(3).unwrap().outputs(), 3);
    // Three decisions between pairs of four classes, or labels of their own, are no argmax.
    for count in [2, 4] {
        let refused = classes(count).unwrap_err().to_string();
        assert!(refused.contains(&format!("3 scores do not choose between {count} classes")), "{refused}");
    }
}

#[test]
fn inputs_that_are_cut_to_whole_numbers_are_refused() {
    let labels = || ints("classlabels_ints", &[0, 1]);
    let with_cast = |to: i64| {
        let mut line = linear_node("LinearClassifier", &[1.0, -1.0], vec![labels()]);
        line.input = vec!["cast".into()];
        read(&file(&[1], vec![], vec![node("Cast", &["x"], "cast", vec![int("to", to)]), line]))
    };
    assert!(with_cast(1).is_ok());
    assert!(with_cast(7).unwrap_err().to_string().contains("only to float or double"));
}

/// One tree: the root asks whether x is on one side of 1.
fn stump(mode: &str, ids: &[i64], weights: &[f32]) -> Vec<AttributeProto> {
    let trees = vec![0; ids.len()];
    // Weights alternate between the two leaves.
    let leaves: Vec<i64> = (0..ids.len()).map(|at| 7 + (at % 2) as i64).collect();
    vec![
        ints("nodes_treeids", &[0, 0, 0]),
        ints("nodes_nodeids", &[5, 7, 8]),
        ints("nodes_featureids", &[0, 0, 0]),
        ints("nodes_truenodeids", &[7, 0, 0]),
        ints("nodes_falsenodeids", &[8, 0, 0]),
        strings("nodes_modes", &[mode, "LEAF", "LEAF"]),
        floats("nodes_values", &[1.0, 0.0, 0.0]),
        ints("class_treeids", &trees),
        ints("class_nodeids", &leaves),
        ints("class_ids", ids),
        floats("class_weights", weights),
        ints("classlabels_int64s", &[0, 1]),
    ]
}

fn classifier(attributes: Vec<AttributeProto>) -> Result<Model, ModelError> {
    read(&file(&[1], vec![], vec![node("TreeEnsembleClassifier", &["x"], "label", attributes)]))
}

#[test]
fn every_comparison_takes_its_side() {
    // The leaf of "true" has 0.75, that of "false" 0.25.
    let sides = [("BRANCH_LEQ", [0.75, 0.75, 0.25]), ("BRANCH_LT", [0.75, 0.25, 0.25])];
    let turned = [("BRANCH_GT", [0.25, 0.25, 0.75]), ("BRANCH_GTE", [0.25, 0.75, 0.75])];
    for (mode, expected) in sides.into_iter().chain(turned) {
        let model = classifier(stump(mode, &[1, 1], &[0.75, 0.25])).unwrap();
        let found = [1f64.next_down(), 1.0, 1f64.next_up()].map(|x| scores(&model, &[x])[0]);
        assert_eq!(found, expected, "{mode}");
    }
}

#[test]
fn one_score_is_a_probability_or_a_margin() {
    let probability = classifier(stump("BRANCH_LEQ", &[1, 1], &[0.75, 0.25])).unwrap();
    assert_eq!((probability.predict(&[0.0]), probability.predict(&[2.0])), (Ok(1), Ok(0)));
    // Five tenths, which are a little more than one half in single precision, and five of which each is really more.
    let tie = classifier(stump("BRANCH_LEQ", &[1; 10], &[[0.1, 0.100_000_2]; 5].concat())).unwrap();
    assert_eq!((tie.predict(&[0.0]), tie.predict(&[2.0])), (Ok(0), Ok(1)));
    let margin = classifier(stump("BRANCH_LEQ", &[0, 0], &[0.25, -0.25])).unwrap();
    assert_eq!((margin.threshold(), margin.predict(&[0.0]), margin.predict(&[2.0])), (0.0, Ok(1), Ok(0)));
    let both = classifier(stump("BRANCH_LEQ", &[0, 0, 1, 1], &[0.9, 0.2, 0.1, 0.8])).unwrap();
    assert_eq!((both.outputs(), both.predict(&[0.0]), both.predict(&[2.0])), (2, Ok(0), Ok(1)));
}

#[test]
fn damaged_trees_are_refused() {
    let tampered = |at: usize, with: AttributeProto| {
        let mut attributes = stump("BRANCH_LEQ", &[1, 1], &[0.75, 0.25]);
        attributes[at] = with;
        classifier(attributes).unwrap_err().code()
    };
    assert_eq!(tampered(1, ints("nodes_nodeids", &[5, 7, 7])), "model-format");
    assert_eq!(tampered(2, ints("nodes_featureids", &[1, 0, 0])), "model-structure");
    assert_eq!(tampered(2, ints("nodes_featureids", &[0, 0])), "model-length");
    assert_eq!(tampered(3, ints("nodes_truenodeids", &[5, 0, 0])), "model-structure");
    assert_eq!(tampered(3, ints("nodes_truenodeids", &[9, 0, 0])), "model-format");
    assert_eq!(tampered(5, strings("nodes_modes", &["BRANCH_EQ", "LEAF", "LEAF"])), "model-format");
    assert_eq!(tampered(8, ints("class_nodeids", &[5, 7])), "model-format");
    assert_eq!(tampered(10, floats("class_weights", &[f32::NAN, 0.0])), "model-not-finite");
}

#[test]
fn other_graphs_are_refused_by_name() {
    let weights = || vec![tensor("w", &[2, 2], &[1.0; 4]), tensor("row", &[3], &[1.0; 3])];
    let error = |nodes| read(&file(&[2], weights(), nodes)).unwrap_err();
    let first = || node("MatMul", &["x", "w"], "y", vec![]);
    let unknown = error(vec![first(), node("Sin", &["y"], "z", vec![])]);
    assert!(
        unknown.to_string().contains("operator Sin is not supported; supported are Add, ArgMax"),
        "{unknown}"
    );
    for (second, reason) in [
        (node("Add", &["y", "x"], "z", vec![]), "must be a constant"),
        (node("Add", &["y", "row"], "z", vec![]), "expected 1 or 2 numbers to add, got 3"),
        (node("Add", &["y", "y"], "z", vec![]), "twice"),
        (node("MatMul", &["w", "y"], "z", vec![]), "first input"),
        (node("MatMul", &["x", "w"], "z", vec![]), "does not follow the one chain"),
        (node("Gemm", &["y", "w"], "z", vec![int("transA", 1)]), "transA must be 0, got 1"),
        (node("Flatten", &["y"], "z", vec![int("axis", 0)]), "axis must be 1, got 0"),
        (node("Conv", &["y", "w"], "z", vec![]), "four sides"),
        (node("MaxPool", &["y"], "z", vec![]), "images"),
        (node("Cast", &["y"], "z", vec![int("to", 7)]), "only to float"),
        (node("Normalizer", &["y"], "z", vec![]), "norm must be L1 or L2, got MAX"),
        (node("Sub", &["y", "row"], "z", vec![]), "one less a last sigmoid"),
        (node("LinearRegressor", &["y"], "z", vec![]), "LinearRegressor"),
    ] {
        let error = error(vec![first(), second]).to_string();
        assert!(error.contains(reason), "{error}");
    }
    let late = error(vec![first(), node("Softmax", &["y"], "p", vec![]), node("Relu", &["p"], "z", vec![])]);
    assert!(late.to_string().contains("after the scores"), "{late}");
}

#[test]
fn damaged_tensors_are_refused() {
    let code = |tensor: TensorProto| {
        read(&file(&[2], vec![tensor], vec![node("MatMul", &["x", "w"], "y", vec![])])).unwrap_err().code()
    };
    let whole = || tensor("w", &[2, 1], &[1.0, 2.0]);
    assert_eq!(code(TensorProto { dims: vec![3, 1], ..whole() }), "model-length");
    assert_eq!(code(TensorProto { dims: vec![-2, 1], ..whole() }), "model-format");
    assert_eq!(code(TensorProto { dims: vec![i64::MAX, 4], ..whole() }), "model-format");
    assert_eq!(code(tensor("w", &[0, 1 << 60], &[])), "model-format");
    assert_eq!(code(TensorProto { raw_data: vec![0; 7], ..whole() }), "model-format");
    assert_eq!(code(TensorProto { data_type: 9, ..whole() }), "model-format");
    assert_eq!(code(TensorProto { data_location: 1, ..whole() }), "model-format");
    assert_eq!(code(tensor("w", &[2, 1], &[1.0, f32::NAN])), "model-not-finite");
    assert_eq!(code(tensor("w", &[1, 2], &[1.0, 2.0])), "model-format");
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
        let _ = read(&bytes);
    }

    #[test]
    fn damaged_files_never_panic(cut in 0usize..1000, at in 0usize..1000, byte: u8, trees: bool) {
        let tree = vec![node("TreeEnsembleClassifier", &["x"], "y", stump("BRANCH_LT", &[1, 1], &[0.75, 0.25]))];
        let mut bytes = if trees { file(&[1], vec![], tree) } else { dense() };
        let length = bytes.len();
        bytes[at % length] = byte;
        let _ = read(&bytes);
        prop_assert!(read(&dense()[..cut % (dense().len() - 50)]).is_err());
    }
}

#[test]
fn a_layer_is_an_average_only_over_what_it_sees() {
    let pool = vec![
        ints("kernel_shape", &[2, 2]),
        ints("pads", &[1, 1, 0, 0]),
        ints("strides", &[2, 2]),
        int("count_include_pad", 0),
    ];
    let model =
        read(&file(&[1, 1, 1], vec![], vec![node("AveragePool", &["x"], "y", pool.clone())])).unwrap();
    assert_eq!(scores(&model, &[4.0]), [4.0]);
    let mut counted = pool;
    counted[3] = int("count_include_pad", 1);
    let model = read(&file(&[1, 1, 1], vec![], vec![node("AveragePool", &["x"], "y", counted)])).unwrap();
    assert_eq!(scores(&model, &[4.0]), [1.0]);
    assert!(matches!(model, Model::Network(network) if matches!(network.layers(), [Layer::AveragePool(_)])));
}
