use privet_core::Generator;

fn main() {
    let generator = Generator::from_insecure_seed(1);
    let _twin = generator.clone();
}
