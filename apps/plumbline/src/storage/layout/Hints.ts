/** Advice for users whose compiler was not asked for a layout. */

/** The flags and settings with which Foundry and Hardhat write layouts. Source: `forge build --help`; Hardhat's configuration, `solidity.settings`. */
export const ASK =
  'build again with "forge build --force --extra-output storageLayout --ast" or "forge build --force --build-info", or in Hardhat with "storageLayout" in solidity.settings.outputSelection["*"]["*"]'

/** The first solc that writes layouts. Source: the changelog of Solidity. */
const FIRST = [0, 5, 13]

/** `0.8.20` of `0.8.20+commit.a1b79de6.Linux.g++`. */
export const shortOf = (version: string): string => version.replace(/^v/u, "").split(/[+-]/u)[0]!

/** True if this version of solc writes no layouts. */
export const isTooOld = (version: string): boolean => {
  const parts = shortOf(version).split(".").map(Number)
  const at = FIRST.findIndex((part, i) => parts[i] !== part)
  return at >= 0 && parts[at]! < FIRST[at]!
}

/**
 * Returns advice for sources that need another version of solc than the installed one. `wanted` is the needed version,
 * if known.
 */
export const other = (wanted: string | undefined, own: string): string => {
  if (wanted !== undefined && isTooOld(wanted)) {
    return `solc ${shortOf(wanted)} writes no layouts (0.5.13 is the first that does), and the sources are none of solc ${own}'s`
  }
  const which = wanted === undefined ? "that version" : `solc ${shortOf(wanted)}`
  return `this command has solc ${own}: compile with ${which} and give its output, of "solc --standard-json" with storageLayout and ast in outputSelection, or ${ASK}`
}
