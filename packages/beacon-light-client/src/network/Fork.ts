/** The forks of the beacon chain that have a light client, in order. */

/** The name of a fork, as the beacon API and configurations write it. */
export type Fork = "altair" | "bellatrix" | "capella" | "deneb" | "electra" | "fulu" | "gloas"

/** All forks, the oldest first. */
export const all: ReadonlyArray<Fork> = ["altair", "bellatrix", "capella", "deneb", "electra", "fulu", "gloas"]

/**
 * True if the text is the name of a fork, in lower case.
 *
 * ```ts import.meta.vitest
 * import { Fork } from "@plumbline/beacon-light-client"
 *
 * Fork.isFork("electra") // => true
 * Fork.isFork("phase0") // => false
 * ```
 */
export const isFork = (text: string): text is Fork => (all as ReadonlyArray<string>).includes(text)

/**
 * True if `fork` is `since` or a later fork.
 *
 * ```ts import.meta.vitest
 * import { Fork } from "@plumbline/beacon-light-client"
 *
 * Fork.isFrom("deneb", "capella") // => true
 * ```
 */
export const isFrom = (fork: Fork, since: Fork): boolean => all.indexOf(fork) >= all.indexOf(since)
