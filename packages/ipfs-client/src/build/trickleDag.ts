/**
 * Builds trees for files that are read from the beginning. A node has first its leaves, then four subtrees of each
 * depth, shallow ones first. The root is always a node with links, even for a single leaf.
 *
 * Source: boxo, `ipld/unixfs/importer/trickle`.
 */
import { type FileLink, type FileNode, parent, type FileTree, type FileTreeOptions } from "./fileNodes.ts"

/** Number of subtrees of one depth in a node. Source: boxo, `depthRepeat`. */
const REPEAT = 4

/** A node that is not complete. */
interface Open {
  readonly links: Array<FileLink>
  /** The exclusive limit for the depth of the node's subtrees. */
  readonly maxDepth: number
  subtrees: number
}

export const make = ({ attributes, cidOf, maxLinks }: FileTreeOptions): FileTree => {
  const open: Array<Open> = [{ links: [], maxDepth: Infinity, subtrees: 0 }]

  /** Completes the deepest open node, and links it from the node above. */
  const close = (): FileNode => {
    const { links } = open.pop()!
    const above = open.at(-1)
    const node = parent(links, cidOf, above === undefined ? attributes : undefined)
    if (above !== undefined) {
      above.links.push({ cid: node.cid, size: node.size, totalSize: node.totalSize })
      above.subtrees++
    }
    return node
  }

  return {
    push: (leaf) => {
      const made: Array<FileNode> = []
      for (;;) {
        const { links, maxDepth, subtrees } = open.at(-1)!
        if (subtrees === 0 && links.length < maxLinks) {
          // A file without bytes consists of its root alone.
          if (leaf.size === 0) return made
          links.push({ cid: leaf.cid, size: leaf.size, totalSize: leaf.totalSize })
          made.push(leaf)
          return made
        }
        const depth = 1 + Math.floor(subtrees / REPEAT)
        if (depth < maxDepth) open.push({ links: [], maxDepth: depth, subtrees: 0 })
        else made.push(close())
      }
    },
    finish: () => {
      const made: Array<FileNode> = []
      while (open.length > 0) made.push(close())
      return made
    }
  }
}
