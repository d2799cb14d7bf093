/**
 * Modes as Unix and as Go have them. Both have the bits for reading, writing and executing at the same places; Go has those
 * for set-user-id, set-group-id and sticky higher, and beside them bits that say what a thing is (a directory is
 * 0o20000000000, a symlink 0o1000000000).
 *
 * Source: Go `os.FileMode`; boxo `files.ModePermsToUnixPerms`.
 */

/** The largest mode: Go's have 32 bits. */
export const MAX = 0xffff_ffff

const SET_USER = 0x80_0000
const SET_GROUP = 0x40_0000
const STICKY = 0x10_0000

/** The twelve permission bits of Unix, of a mode in either form. What the mode says of the kind of thing is not in them. */
export const permissions = (mode: number): number =>
  (mode & 0o7777) | ((mode & (SET_USER | SET_GROUP)) >>> 12) | ((mode & STICKY) >>> 11)

/** A mode as Go has it: permission bits are put where Go looks for them, a mode with others is in its form already. */
export const toGo = (mode: number): number =>
  mode > 0o7777 ? mode : (mode & 0o777) | ((mode & 0o6000) << 12) | ((mode & 0o1000) << 11)
