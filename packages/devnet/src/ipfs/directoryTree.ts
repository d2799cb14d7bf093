/** A tree of added files by name. Its directories are made after all entries have arrived. */
import * as DirectoryCid from "@plumbline/ipfs-client/build/DirectoryCid"
import type * as FileCid from "@plumbline/ipfs-client/build/FileCid"
import { fromBlockError, type IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Result from "effect/Result"

import { invalid } from "./embeddedFailure.ts"

/** The target of an entry of a directory. */
export type MadeEntry = Pick<FileCid.FileRoot, "cid" | "totalSize">

/** The attributes that are stored with a directory. */
export type DirectoryAttributes = Pick<DirectoryCid.DirectoryCidOptions, "mode" | "mtime">

/** A directory that is not made yet. */
export interface UnfinishedDirectory {
  readonly children: Map<string, MadeEntry | UnfinishedDirectory>
  attributes: DirectoryAttributes
}

/** Makes an empty directory. Directories that are only implied by their entries get its attributes. */
export const make = (attributes: DirectoryAttributes): UnfinishedDirectory => ({ children: new Map(), attributes })

/** Puts a file or a symlink at its path. Fails if the path already has an entry. */
export const put = (top: UnfinishedDirectory, path: string, made: MadeEntry): Result.Result<void, IpfsNodeError> => {
  const names = path.split("/")
  const last = names.pop()!
  return Result.flatMap(descend(top, names, path), ({ children }) => {
    if (children.has(last)) return twice(path)
    children.set(last, made)
    return Result.void
  })
}

/** Puts a directory at its path. Succeeds if the directory was already implied by its entries. */
export const putFolder = (
  top: UnfinishedDirectory,
  path: string,
  attributes: DirectoryAttributes
): Result.Result<void, IpfsNodeError> =>
  Result.map(descend(top, path.split("/"), path), (folder) => {
    folder.attributes = attributes
  })

const descend = (
  top: UnfinishedDirectory,
  names: ReadonlyArray<string>,
  path: string
): Result.Result<UnfinishedDirectory, IpfsNodeError> => {
  let folder = top
  const { attributes } = top
  for (const name of names) {
    const there = folder.children.get(name)
    if (there !== undefined && !("children" in there)) return twice(path)
    const next = there ?? make(attributes)
    folder.children.set(name, next)
    folder = next
  }
  return Result.succeed(folder)
}

const twice = (path: string): Result.Result<never, IpfsNodeError> =>
  Result.fail(invalid("name", `${JSON.stringify(path.slice(0, 80))} is there twice`))

/** A finished directory, with its blocks. `path` has slashes between names. */
export interface FinishedDirectory extends DirectoryCid.MadeDirectory {
  readonly path: string
}

/**
 * Makes each directory after the directories inside it, and yields it. Those are in the order of the bytes of their
 * names, as in Kubo.
 */
export function* directories(
  folder: UnfinishedDirectory,
  path: string,
  options: DirectoryCid.DirectoryCidOptions
): Generator<Result.Result<FinishedDirectory, IpfsNodeError>, MadeEntry | undefined> {
  const entries: Array<readonly [name: string, made: MadeEntry]> = []
  const inside: Array<readonly [name: string, folder: UnfinishedDirectory]> = []
  for (const [name, child] of folder.children) {
    if ("children" in child) inside.push([name, child])
    else entries.push([name, child])
  }
  inside.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  for (const [name, child] of inside) {
    const made = yield* directories(child, path === "" ? name : `${path}/${name}`, options)
    if (made === undefined) return undefined
    entries.push([name, made])
  }
  const { attributes } = folder
  const made = Result.mapError(DirectoryCid.make(entries, { ...options, ...attributes }), fromBlockError)
  yield Result.map(made, (made) => ({ ...made, path }))
  return Result.isSuccess(made) ? { cid: made.success.cid, totalSize: made.success.totalSize } : undefined
}
