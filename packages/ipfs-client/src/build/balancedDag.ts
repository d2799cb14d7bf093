/**
 * Builds balanced trees of files, as Kubo does: all leaves have the same depth, and nodes are filled from the left.
 */
import { type FileLink, type FileNode, parent, type FileTree, type FileTreeOptions } from "./fileNodes.ts"

export const make = ({ attributes, cidOf, maxLinks }: FileTreeOptions): FileTree => {
  /**
   * Nodes without a parent, by their height. A full level gets its parent only when the next node shows that the tree
   * grows.
   */
  const levels: Array<Array<FileLink>> = []

  const add = (height: number, { cid, size, totalSize }: FileNode, made: Array<FileNode>): void => {
    const level = (levels[height] ??= [])
    if (level.length === maxLinks) close(height, made)
    level.push({ cid, size, totalSize })
  }

  const close = (height: number, made: Array<FileNode>, ofRoot?: FileTreeOptions["attributes"]): void => {
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
      const made: Array<FileNode> = []
      // if there are no chunks, there are no nodes
      if (levels.length === 0) return made
      for (let height = 0; height + 1 < levels.length || levels[height]!.length > 1; height++) {
        close(height, made, height + 1 === levels.length ? attributes : undefined)
      }
      return made
    }
  }
}
