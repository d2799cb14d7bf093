/**
 * Builds balanced trees of files, as Kubo does: all leaves have the same depth, and nodes are filled from the left.
 */
import { type Link, type Node, parent, type Tree, type TreeOptions } from "./fileNodes.ts"

export const make = ({ attributes, cidOf, maxLinks }: TreeOptions): Tree => {
  /**
   * Nodes without a parent, by their height. A full level gets its parent only when the next node shows that the tree
   * grows.
   */
  const levels: Array<Array<Link>> = []

  const add = (height: number, { cid, size, totalSize }: Node, made: Array<Node>): void => {
    const level = (levels[height] ??= [])
    if (level.length === maxLinks) close(height, made)
    level.push({ cid, size, totalSize })
  }

  const close = (height: number, made: Array<Node>, ofRoot?: TreeOptions["attributes"]): void => {
    const node = parent(levels[height]!.splice(0), cidOf, ofRoot)
    made.push(node)
    add(height + 1, node, made)
  }

  return {
    push: (leaf) => {
      const made = [leaf]
      add(0, leaf, made)
      return made
    },
    finish: () => {
      const made: Array<Node> = []
      // if there are no chunks, there are no nodes
      if (levels.length === 0) return made
      for (let height = 0; height + 1 < levels.length || levels[height]!.length > 1; height++) {
        close(height, made, height + 1 === levels.length ? attributes : undefined)
      }
      return made
    }
  }
}
