//! Places in order.

/// Two coordinates in the units of the space.
pub type Place = [f64; 2];

/// The places of one person, in the order of time. `Debug` shows how many there are, never where.
#[derive(Clone, PartialEq)]
pub struct Path {
    /// Which path it is; public.
    pub id: String,
    /// The places.
    pub places: Vec<Place>,
}

impl std::fmt::Debug for Path {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Path({} private places)", self.places.len())
    }
}
