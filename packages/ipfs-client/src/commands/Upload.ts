/**
 * Content to add: files, directories and symlinks, each with its path.
 */
import type * as Stream from "effect/Stream"

/**
 * The bytes of a file: in memory, as text, as a blob or file of the platform, or as a stream that can be read only
 * once.
 */
export type FileContent<E = never> = Uint8Array | string | Blob | Stream.Stream<Uint8Array, E>

interface Attributes {
  /** Permission bits, stored with `preserveMode`: the bits of Unix, or all bits of Go's `os.FileMode`, as in Kubo. */
  readonly mode?: number | undefined
  /** The time of the last change, in seconds since 1970, stored with `preserveMtime`. */
  readonly mtime?: number | undefined
  /** Nanoseconds after the second in `mtime`. */
  readonly mtimeNsecs?: number | undefined
}

/** A file. `path` has slashes between names; the directories in it are made automatically. */
export interface UploadFile<E = never> extends Attributes {
  readonly type?: "file" | undefined
  readonly path?: string | undefined
  readonly content: FileContent<E>
}

/**
 * A directory that is empty, or that has a mode or a time. Send the directory before its content. Other directories are
 * made automatically.
 */
export interface UploadDirectory extends Attributes {
  readonly type: "directory"
  readonly path: string
}

/** A symlink. Its target is text, or bytes if it is not UTF-8. */
export interface UploadSymlink extends Attributes {
  readonly type: "symlink"
  readonly path: string
  readonly target: string | Uint8Array
}

/** One file, directory or symlink to add. */
export type UploadEntry<E = never> = UploadFile<E> | UploadDirectory | UploadSymlink

/**
 * Entries to add: in memory, or as a stream. Entries of the same directory should follow each other: without a wrapping
 * directory, Kubo begins a new tree when a name at the top comes again (`UploadTrees`).
 */
export type UploadEntries<E = never> = Iterable<UploadEntry<E>> | Stream.Stream<UploadEntry<E>, E>
