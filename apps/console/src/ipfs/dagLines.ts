/** The lines of a tree of blocks that is drawn as a list. */

/** The deepest indentation, with which the blocks stay within the sheet. */
export const DEEPEST = 9

/**
 * Returns the lines that pass each block, from the depths of all blocks in their order. A line passes at a depth if a
 * block of that depth follows under the same parent.
 */
export const linesBeside = (depths: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> => {
  const open = new Set<number>()
  const lines: Array<ReadonlyArray<number>> = []
  for (const depth of depths.map((depth) => Math.min(depth, DEEPEST)).toReversed()) {
    lines.push([...open].filter((line) => line <= depth))
    for (const line of open) if (line > depth) open.delete(line)
    open.add(depth)
  }
  return lines.toReversed()
}
