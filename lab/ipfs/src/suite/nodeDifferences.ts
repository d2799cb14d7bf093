/**
 * The known differences of js-ipfs 0.66 and of Kubo from the expected results. Each difference has the name of its
 * check, the actual result and the reason.
 *
 * `pnpm lab js-ipfs` and `pnpm kubo` fail if a difference no longer occurs.
 */
import type { Difference, Target } from "./check.ts"

const WORDS = "js-ipfs has words of its own for it"
const CHECKED = "js-ipfs checks the options before the command does, and says only that one is wrong"

const jsIpfs: Readonly<Record<string, Difference>> = {
  "dag/resolve: through links and into the data": {
    because: "js-ipfs begins the rest of a path without a slash",
    instead: { isInner: true, rest: "deep/er" }
  },
  "add: a directory too large for one block, sharded": {
    because: "js-ipfs keeps directories in one block, however large, unless it is configured to shard",
    instead: { entries: 4034, root: "Qmbs4nFw74r3NFY4z4qzgTBtjhhy7XfXWc4XyJEpBo1npN" }
  },
  "cat: from beyond the end": {
    because: "js-ipfs takes it for an error, Kubo for an empty answer",
    instead: "HTTPError: Failed to cat file: Offset must be less than the file size"
  },
  "cat: nothing of a file": {
    because: "js-ipfs does not take a length of 0",
    instead: "HTTPError: Invalid request query input"
  },
  "cat: a directory is an error": { because: WORDS, instead: "Failed to cat file: this dag node is a directory" },
  "cat: a name that is not there is an error": { because: WORDS, instead: "file does not exist" },
  "cat: a negative offset is an error": { because: CHECKED, instead: "Invalid request query input" },
  "block/put: more than 2 MiB is an error": { because: "js-ipfs takes blocks of any size", instead: "no error" },
  "block/get: what nobody has is an error": {
    because: "js-ipfs waits for the block to appear, also when it is offline, until the time limit of the call",
    instead: "Failed to get block: request timed out"
  },
  "dag/import: a CAR with a wrong block is an error": {
    because: "js-ipfs does not hash the blocks of a CAR: it stores wrong bytes under the CID",
    instead: "no error"
  },
  "pin/add: a name, and pin/ls says it": { because: "js-ipfs has no names of pins", instead: [undefined] },
  "pin/ls: a type that is none is an error": { because: CHECKED, instead: "Invalid request query input" },
  "pin/rm: what is not pinned is an error": {
    because: WORDS,
    instead: "Failed to remove pin: <root> is not pinned"
  },
  "pin/rm: what is pinned recursively does not go directly": {
    because: WORDS,
    instead: "Failed to remove pin: <root> is pinned recursively"
  },
  "pin/update: moves a pin": { because: "js-ipfs does not have the command", instead: "HTTPError: Not Found" },
  "version: what software runs there": {
    because: "js-ipfs names its own packages, and no platform",
    instead: {
      commit: "string",
      "interface-ipfs-core": "string",
      "ipfs-core": "string",
      "ipfs-http-client": "string",
      repo: "string",
      version: "string"
    }
  },
  "an unknown command is an error": { because: WORDS, instead: "Not Found" }
}

const REMOVED: Difference = {
  because: "Kubo dropped the object commands in 0.28",
  instead: "HTTPError: removed, use 'ipfs dag' or 'ipfs files' instead"
}

/** Kubo 0.43.0. */
const kubo: Readonly<Record<string, Difference>> = {
  "id: who the node is": {
    because: "an offline Kubo has null in the place of its addresses and protocols",
    instead: [true, true, true, false, false]
  },
  "an unknown command is an error": { because: "Kubo has the command that is asked for", instead: "no error" },
  "object/get: links and data of a file's root": REMOVED,
  "object/get: links of a directory have names": REMOVED,
  "object/data: bytes as they are": REMOVED,
  "object/stat: the sizes of a node": REMOVED
}

export const differences: Readonly<Record<Exclude<Target["kind"], "plumbline">, ReadonlyMap<string, Difference>>> = {
  "js-ipfs": new Map(Object.entries(jsIpfs)),
  kubo: new Map(Object.entries(kubo))
}
