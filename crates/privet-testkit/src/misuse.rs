//! Mistakes that must not compile. Each stands beside the same lines without the mistake, so that it is known to fail for
//! its own reason.
//!
//! An epsilon is never a bare number:
//! ```
//! # use privet_core::{Categories, Epsilon};
//! # use privet_mechanisms::categorical::RandomizedResponse;
//! let epsilon = Epsilon::new(1.0).unwrap();
//! RandomizedResponse::new(Categories::new(2).unwrap(), epsilon).unwrap();
//! ```
//! ```compile_fail,E0308
//! # use privet_core::{Categories, Epsilon};
//! # use privet_mechanisms::categorical::RandomizedResponse;
//! let epsilon = 1.0;
//! RandomizedResponse::new(Categories::new(2).unwrap(), epsilon).unwrap();
//! ```
//! and has no default:
//! ```compile_fail,E0599
//! # use privet_core::Epsilon;
//! let epsilon = Epsilon::default();
//! ```
//! A generator cannot be cloned, so no two reports share their randomness:
//! ```
//! # use privet_core::Generator;
//! let mut generator = Generator::from_insecure_seed(1);
//! let independent = generator.split();
//! ```
//! ```compile_fail,E0599
//! # use privet_core::Generator;
//! let mut generator = Generator::from_insecure_seed(1);
//! let twin = generator.clone();
//! ```
//! Memoised layers draw nothing without a client's secret, or every report would draw the permanent answer anew:
//! ```
//! # use privet_core::{Categories, Epsilon, Generator, Mechanism};
//! # use privet_mechanisms::categorical::GeneralizedRandomizedResponse;
//! # use privet_mechanisms::wrapper::{ClientSecret, MemoContext, Memoized};
//! # let layer = || GeneralizedRandomizedResponse::new(Categories::new(4).unwrap(), Epsilon::new(1.0).unwrap()).unwrap();
//! let memoized = Memoized::new(layer(), layer()).unwrap();
//! let context = MemoContext { origin: "example.org", attribute: "commute" };
//! let client = memoized.for_client(ClientSecret::from_entropy([1; 32]), context);
//! client.randomize(&1, &mut Generator::from_insecure_seed(1)).unwrap();
//! ```
//! ```compile_fail,E0599
//! # use privet_core::{Categories, Epsilon, Generator, Mechanism};
//! # use privet_mechanisms::categorical::GeneralizedRandomizedResponse;
//! # use privet_mechanisms::wrapper::{ClientSecret, MemoContext, Memoized};
//! # let layer = || GeneralizedRandomizedResponse::new(Categories::new(4).unwrap(), Epsilon::new(1.0).unwrap()).unwrap();
//! let memoized = Memoized::new(layer(), layer()).unwrap();
//! memoized.randomize(&1, &mut Generator::from_insecure_seed(1)).unwrap();
//! ```
