/**
 * Converts file modes between the forms of Unix and of Go. Both have the bits for reading, writing and executing at the
 * same positions. Go has set-user-id, set-group-id and sticky at higher positions, and also bits for the kind of a file
 * (a directory is 0o20000000000, a symlink 0o1000000000).
 *
 * Source: Go `os.FileMode`; boxo `files.ModePermsToUnixPerms`.
 */

/** The largest mode. Modes of Go have 32 bits. */
export const MAX = 0xffff_ffff

/** The bit of Go's form that marks a directory. */
export const DIRECTORY = 0x8000_0000

const SET_USER = 0x80_0000
const SET_GROUP = 0x40_0000
const STICKY = 0x10_0000

/** Returns the twelve permission bits of Unix from a mode in either form, without the kind of file. */
export const permissions = (mode: number): number =>
  (mode & 0o7777) | ((mode & (SET_USER | SET_GROUP)) >>> 12) | ((mode & STICKY) >>> 11)

/** Returns a mode in Go's form. A mode with bits beyond the permissions already has that form. */
export const toGo = (mode: number): number =>
  mode > 0o7777 ? mode : (mode & 0o777) | ((mode & 0o6000) << 12) | ((mode & 0o1000) << 11)

/** Returns the number of a mode that is a number, or a text of octal digits. */
export const toNumber = (mode: number | string): number => (typeof mode === "number" ? mode : Number.parseInt(mode, 8))
