//! The real sizes of allocations: blocks of the allocator, and entries of std's B-trees.

/// Blocks of at least this many bytes get their own memory pages. Freeing such a block returns its pages to the system.
///
/// The program sets this threshold in its allocator at the start. With a lower threshold, each response would map new
/// pages for smaller blocks, such as the buffers of connections. If the allocator uses another threshold, content below
/// this size may take up to 4 KiB more.
pub const PAGES_FROM: usize = 256 * 1024;

/// Returns the bytes that the allocator takes for a request of this size. A chunk of glibc has 8 bytes of overhead. Its
/// size is a multiple of 16 and at least 32. Large blocks are whole pages.
pub(super) const fn allocated(size: usize) -> usize {
    if size >= PAGES_FROM {
        return size.saturating_add(16).next_multiple_of(4096);
    }
    let chunk = (size + 8).next_multiple_of(16);
    if chunk < 32 { 32 } else { chunk }
}

/// Returns the maximum bytes that an entry of this size takes in a std B-tree, averaged over the tree.
///
/// A node has room for 11 entries and holds at least 5. An inner node has one child more than entries. If each node
/// holds 5, `n` entries need `n / 6` leaves and `n / 30` inner nodes. Only the root may hold fewer; see [`tree_root`].
pub(super) const fn tree_entry(entry: usize) -> usize {
    let leaf = tree_leaf(entry);
    let inner = leaf + CHILDREN;
    (5 * allocated(leaf) + allocated(inner)).div_ceil(30)
}

/// Returns the bytes of the root of a tree with entries of this size. The root may be nearly empty.
pub(super) const fn tree_root(entry: usize) -> usize {
    allocated(tree_leaf(entry) + CHILDREN)
}

/// Returns the bytes of a leaf: its entries, the pointer to its parent, its length and its place in the parent.
const fn tree_leaf(entry: usize) -> usize {
    (11 * entry + 8 + 4).next_multiple_of(8)
}

/// Bytes of the pointers of an inner node to its children.
const CHILDREN: usize = 12 * 8;
