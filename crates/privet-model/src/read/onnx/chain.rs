//! Chains of layers.

use super::proto::NodeProto;
use super::{AFTER, Constants, check_after, check_cast, node, refusal, unsupported};
use crate::ModelError;
use crate::array::{Array, places};
use crate::network::{Activation, AveragePool, Convolution, Image, Layer, Network, Sliding, Window};
use nalgebra::{DMatrix, DVector};

/// A chain as far as it was followed.
struct Chain<'a> {
    constants: &'a Constants<'a>,
    /// The name of the values at its end.
    end: &'a str,
    /// The shape of one row there, where it is known.
    shape: Option<Vec<usize>>,
    inputs: Option<usize>,
    layers: Vec<Layer>,
    /// The name of one less the values at its end, if a node has made it.
    complement: Option<&'a str>,
    /// Whether probabilities have been made, after which there are no more layers.
    is_complete: bool,
}

pub(super) fn read(
    nodes: &[&NodeProto],
    constants: &Constants<'_>,
    input: &str,
    shape: Option<Vec<usize>>,
) -> Result<Network, ModelError> {
    let inputs = shape.as_ref().and_then(|shape| places(shape));
    let mut chain = Chain {
        constants,
        end: input,
        shape,
        inputs,
        layers: Vec::new(),
        complement: None,
        is_complete: false,
    };
    let mut rest = Vec::new();
    let mut nodes = nodes;
    while let Some((first, following)) = nodes.split_first() {
        nodes = following;
        if let Some((end, following)) = chain.gelu(first, following) {
            chain.layers.push(Layer::Activation(Activation::Gelu));
            (chain.end, nodes) = (end, following);
        } else if !chain.follow(first)? {
            rest.push(*first);
        }
    }
    check_after(&rest)?;
    if chain.complement.is_some() {
        return Err(refusal("Sub: what it makes must go into Concat"));
    }
    // The last sigmoid keeps the order of scores: it is above one half where they are above 0.
    chain.layers.pop_if(|layer| *layer == Layer::Activation(Activation::Sigmoid));
    let inputs = chain.inputs.ok_or_else(|| refusal("the number of inputs is not known"))?;
    Network::from_layers(inputs, chain.layers)
}

impl<'a> Chain<'a> {
    /// Takes a node into the chain, if it reads the chain's end and is no way to make labels.
    fn follow(&mut self, node: &'a NodeProto) -> Result<bool, ModelError> {
        let reads = node.input.iter().filter(|input| *input == self.end).count();
        if reads == 0 {
            return Ok(false);
        }
        let operator = node.op_type.as_str();
        if self.is_complete || operator == "ArgMax" {
            return if AFTER.contains(&operator) {
                Ok(false)
            } else {
                Err(node.refuse("it comes after the scores"))
            };
        }
        if reads > 1 {
            return Err(node.refuse("it reads the same values twice"));
        }
        match operator {
            "Identity" => {}
            "Cast" => check_cast(node)?,
            "Flatten" => self.flatten(node)?,
            "Reshape" => self.reshape(node)?,
            "Gemm" | "MatMul" => self.affine(node)?,
            "Add" => self.add(node)?,
            "Conv" => self.convolution(node)?,
            "MaxPool" | "AveragePool" | "GlobalAveragePool" => self.pool(node)?,
            "Relu" => self.layers.push(Layer::Activation(Activation::Relu)),
            "Tanh" => self.layers.push(Layer::Activation(Activation::Tanh)),
            "Sigmoid" => self.layers.push(Layer::Activation(Activation::Sigmoid)),
            "Gelu" => {
                node.require_text("approximate", "none", &["none"])?;
                self.layers.push(Layer::Activation(Activation::Gelu));
            }
            "Softmax" => self.softmax(node)?,
            "Sub" => {
                self.complement = Some(self.take_complement(node)?);
                return Ok(true);
            }
            "Concat" => self.two_classes(node)?,
            _ if AFTER.contains(&operator) => return Ok(false),
            _ => return Err(unsupported(operator)),
        }
        self.end = node.output.first().ok_or_else(|| node.refuse("it has no output"))?;
        Ok(true)
    }

    /// GELU as x / root of 2, erf, plus 1, times x, times 1/2: the name of its end, and the nodes that follow.
    fn gelu<'n>(
        &self,
        first: &'n NodeProto,
        following: &'n [&'n NodeProto],
    ) -> Option<(&'n str, &'n [&'n NodeProto])> {
        let ([erf, add, times, half], following) = following.split_first_chunk::<4>()?;
        let nodes = [first, erf, add, times, half];
        if nodes.map(|node| node.op_type.as_str()) != ["Div", "Erf", "Add", "Mul", "Mul"] {
            return None;
        }
        let is_near = |name: &str, value: f64| {
            self.constants
                .get(name)
                .is_some_and(|array| array.values().len() == 1 && (array.values()[0] - value).abs() < 1e-6)
        };
        // Which of two factors or terms comes first does not matter.
        let other = |node: &'n NodeProto, known: &str| match node.input.as_slice() {
            [a, b] if a == known => Some(b.as_str()),
            [a, b] if b == known => Some(a.as_str()),
            _ => None,
        };
        let out = |node: &'n NodeProto| node.output.first().map(String::as_str);
        let fits = first.input.first()? == self.end
            && is_near(first.input.get(1)?, std::f64::consts::SQRT_2)
            && erf.input.first().map(String::as_str) == out(first)
            && is_near(other(add, out(erf)?)?, 1.0)
            && other(times, out(add)?)? == self.end
            && is_near(other(half, out(times)?)?, 0.5);
        fits.then_some((out(half)?, following))
    }

    fn constant(&self, node: &NodeProto, position: usize) -> Result<&'a Array, ModelError> {
        let name =
            node.input.get(position).ok_or_else(|| node.refuse(format!("input {position} is missing")))?;
        let constant = self.constants.get(name.as_str());
        // A side of zero would let a tiny file ask for any amount of memory in the other directions.
        constant
            .filter(|array| !array.values().is_empty())
            .ok_or_else(|| node.refuse(format!("input {position} must be a constant with numbers")))
    }

    /// Refuses a node whose first input is not the chain's end.
    fn reads_first(&self, node: &NodeProto) -> Result<(), ModelError> {
        if node.input.first().is_some_and(|input| input == self.end) {
            Ok(())
        } else {
            Err(node.refuse("the values of the chain must be its first input"))
        }
    }

    fn set_width(&mut self, width: usize) {
        self.shape = Some(vec![width]);
    }

    fn flatten(&mut self, node: &NodeProto) -> Result<(), ModelError> {
        node.require("axis", 1, 1)?;
        self.shape = self.shape.as_ref().and_then(|shape| places(shape)).map(|width| vec![width]);
        Ok(())
    }

    /// The first side is the number of rows, and must stay it.
    fn reshape(&mut self, node: &NodeProto) -> Result<(), ModelError> {
        self.reads_first(node)?;
        let target: Vec<i64> = self.constant(node, 1)?.values().iter().map(|side| *side as i64).collect();
        let unknown = || node.refuse("the shape of its input is not known");
        let shape = self.shape.as_ref().ok_or_else(unknown)?;
        let width = places(shape).ok_or_else(unknown)?;
        let misfit = || node.refuse(format!("{target:?} does not keep rows of {width} values"));
        let (rows, sides) = target.split_first().ok_or_else(misfit)?;
        let open = sides.iter().filter(|side| **side == -1).count();
        if !(-1..=1).contains(rows) || open > 1 || (open == 1 && *rows == -1) {
            return Err(misfit());
        }
        let side = |(place, side): (usize, &i64)| match side {
            -1 => Ok(1),
            0 => shape.get(place).copied().ok_or_else(misfit),
            _ => node::size(*side),
        };
        let mut shape: Vec<usize> = sides.iter().enumerate().map(side).collect::<Result<_, _>>()?;
        let known = places(&shape).filter(|known| *known > 0).ok_or_else(misfit)?;
        if let Some(place) = sides.iter().position(|side| *side == -1) {
            shape[place] = width / known;
        }
        if shape.is_empty() || places(&shape) != Some(width) {
            return Err(misfit());
        }
        self.shape = Some(shape);
        Ok(())
    }

    fn affine(&mut self, node: &NodeProto) -> Result<(), ModelError> {
        self.reads_first(node)?;
        let matrix = self.constant(node, 1)?;
        let [rows, columns] = *matrix.shape() else {
            return Err(node.refuse("its weights must be a matrix"));
        };
        let is_gemm = node.op_type == "Gemm";
        let is_transposed = is_gemm && node.int("transB", 0) != 0;
        let (inputs, outputs) = if is_transposed { (columns, rows) } else { (rows, columns) };
        if self.shape.as_ref().is_some_and(|shape| *shape != [inputs]) {
            return Err(node.refuse(format!("its input must be a row of {inputs} values")));
        }
        self.inputs = self.inputs.or(Some(inputs));
        let mut weights = DMatrix::from_row_slice(rows, columns, matrix.values());
        if !is_transposed {
            weights = weights.transpose();
        }
        let mut bias = DVector::zeros(outputs);
        if is_gemm {
            node.require("transA", 0, 0)?;
            weights *= node.float("alpha", 1.0);
            if node.input.get(2).is_some_and(|name| !name.is_empty()) {
                bias = spread(node, self.constant(node, 2)?, outputs)? * node.float("beta", 1.0);
            }
        }
        self.layers.push(Layer::Affine { weights, bias });
        self.set_width(outputs);
        Ok(())
    }

    /// A constant that is added becomes part of the bias before it.
    fn add(&mut self, node: &NodeProto) -> Result<(), ModelError> {
        let position = usize::from(node.input.first().is_some_and(|input| input == self.end));
        let constant = self.constant(node, position)?;
        match self.layers.last_mut() {
            Some(Layer::Affine { bias, .. }) => {
                *bias += spread(node, constant, bias.len())?;
                Ok(())
            }
            _ => Err(node.refuse("only after MatMul or Gemm")),
        }
    }

    fn image(&self, node: &NodeProto) -> Result<Image, ModelError> {
        match self.shape.as_deref() {
            Some([channels, height, width]) => {
                Ok(Image { channels: *channels, height: *height, width: *width })
            }
            _ => Err(node.refuse("its input must be images of known size: [rows, channels, height, width]")),
        }
    }

    fn set_image(&mut self, image: Image) {
        self.shape = Some(vec![image.channels, image.height, image.width]);
    }

    fn convolution(&mut self, node: &NodeProto) -> Result<(), ModelError> {
        self.reads_first(node)?;
        let weights = self.constant(node, 1)?;
        let [outgoing, _, height, width] = *weights.shape() else {
            return Err(node.refuse("its weights must have four sides"));
        };
        let window = Window::new(self.image(node)?, sliding(node, (height, width))?)?;
        let bias = match node.input.get(2).filter(|name| !name.is_empty()) {
            Some(_) => self.constant(node, 2)?.values().to_vec(),
            None => vec![0.0; outgoing],
        };
        crate::error::check_length("biases of a convolution", outgoing, bias.len())?;
        let groups = node::size(node.int("group", 1))?;
        let convolution = Convolution::new(window, groups, weights.values().to_vec(), bias)?;
        self.set_image(convolution.image());
        self.layers.push(Layer::Convolution(convolution));
        Ok(())
    }

    fn pool(&mut self, node: &NodeProto) -> Result<(), ModelError> {
        let image = self.image(node)?;
        let sliding = if node.op_type == "GlobalAveragePool" {
            Sliding::plain((image.height, image.width))
        } else {
            node.require("ceil_mode", 0, 0)?;
            sliding(node, pair(node, "kernel_shape", None)?)?
        };
        let window = Window::new(image, sliding)?;
        let (height, width) = window.places();
        self.set_image(Image { height, width, ..image });
        self.layers.push(if node.op_type == "MaxPool" {
            Layer::MaxPool(window)
        } else {
            Layer::AveragePool(AveragePool { window, counts_padding: node.int("count_include_pad", 0) != 0 })
        });
        Ok(())
    }

    /// The first half of how one score becomes two probabilities: 1 - p, where p is the score's sigmoid.
    fn take_complement(&self, node: &'a NodeProto) -> Result<&'a str, ModelError> {
        let is_one = node.input.first().is_some_and(|name| {
            self.constants.get(name.as_str()).is_some_and(|constant| constant.values() == [1.0])
        });
        let is_probability = self.shape.as_deref() == Some(&[1])
            && self.layers.last() == Some(&Layer::Activation(Activation::Sigmoid));
        match node.output.first() {
            Some(output) if is_one && is_probability => Ok(output),
            _ => Err(node.refuse("only one less a last sigmoid of one score")),
        }
    }

    /// The second half: 1 - p and p beside each other. The score stands for both.
    fn two_classes(&mut self, node: &NodeProto) -> Result<(), ModelError> {
        match (node.input.as_slice(), self.complement.take()) {
            ([first, second], Some(complement)) if first == complement && second == self.end => {
                self.is_complete = true;
                Ok(())
            }
            _ => Err(node.refuse("only 1 - p and p, where p is the sigmoid of one score")),
        }
    }

    /// Softmax over the scores keeps their order.
    fn softmax(&mut self, node: &NodeProto) -> Result<(), ModelError> {
        if !matches!(node.int("axis", -1), -1 | 1)
            || self.shape.as_ref().is_some_and(|shape| shape.len() != 1)
        {
            return Err(node.refuse("only over the scores of a row"));
        }
        self.is_complete = true;
        Ok(())
    }
}

/// A constant as one number for each value: a single number counts for all.
fn spread(node: &NodeProto, constant: &Array, width: usize) -> Result<DVector<f64>, ModelError> {
    match constant.values() {
        [value] => Ok(DVector::from_element(width, *value)),
        values if values.len() == width && constant.shape().last() == Some(&width) => {
            Ok(DVector::from_column_slice(values))
        }
        values => Err(node.refuse(format!("expected 1 or {width} numbers to add, got {}", values.len()))),
    }
}

fn sliding(node: &NodeProto, kernel: (usize, usize)) -> Result<Sliding, ModelError> {
    node.require_text("auto_pad", "NOTSET", &["NOTSET", "VALID", ""])?;
    let (before, after) = match *node.ints("pads") {
        [] => ((0, 0), (0, 0)),
        [top, left, bottom, right] => {
            ((node::size(top)?, node::size(left)?), (node::size(bottom)?, node::size(right)?))
        }
        _ => return Err(node.refuse("pads must be four numbers")),
    };
    let stride = pair(node, "strides", Some((1, 1)))?;
    let dilation = pair(node, "dilations", Some((1, 1)))?;
    Ok(Sliding { kernel, stride, dilation, before, after })
}

fn pair(
    node: &NodeProto,
    name: &str,
    otherwise: Option<(usize, usize)>,
) -> Result<(usize, usize), ModelError> {
    match (node.ints(name), otherwise) {
        (&[vertical, horizontal], _) => Ok((node::size(vertical)?, node::size(horizontal)?)),
        ([], Some(pair)) => Ok(pair),
        _ => Err(node.refuse(format!("{name} must be two numbers"))),
    }
}
