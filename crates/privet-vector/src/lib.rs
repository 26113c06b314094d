//! Vectors: Laplace, Gaussian, the PrivUnit family, Jacobian-guided reshaping.
