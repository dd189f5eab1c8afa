//! What memory really takes: blocks of the allocator, and entries of std's B-trees.

/// From this size on a block has pages of its own, which are returned to the system when it is freed.
///
/// The program tells its allocator so at its start. With a lower threshold, smaller blocks such as the buffers of
/// connections would be mapped for every response. If the allocator was told something else, a content below this size
/// may take up to 4 KiB more.
pub const PAGES_FROM: usize = 256 * 1024;

/// Bytes that the allocator takes for a request of this size. The chunks of glibc have a word of overhead and come in
/// steps of 16 bytes, at least 32; large blocks are whole pages.
pub(super) const fn allocated(size: usize) -> usize {
    if size >= PAGES_FROM {
        return size.saturating_add(16).next_multiple_of(4096);
    }
    let chunk = (size + 8).next_multiple_of(16);
    if chunk < 32 { 32 } else { chunk }
}

/// Bytes that an entry of this size takes in a B-tree of std, at most and on average over the tree.
///
/// A node has room for 11 entries and holds at least 5, and an inner node has one child more than entries. With 5 in
/// each, `n` entries are in `n / 6` leaves and `n / 30` inner nodes. The root alone may hold fewer; see [`tree_root`].
pub(super) const fn tree_entry(entry: usize) -> usize {
    let leaf = tree_leaf(entry);
    let inner = leaf + CHILDREN;
    (5 * allocated(leaf) + allocated(inner)).div_ceil(30)
}

/// The root of a tree with entries of this size, which may be nearly empty.
pub(super) const fn tree_root(entry: usize) -> usize {
    allocated(tree_leaf(entry) + CHILDREN)
}

/// The entries of a node, the pointer to its parent, its length and its place in the parent.
const fn tree_leaf(entry: usize) -> usize {
    (11 * entry + 8 + 4).next_multiple_of(8)
}

/// The pointers of an inner node to its children.
const CHILDREN: usize = 12 * 8;
