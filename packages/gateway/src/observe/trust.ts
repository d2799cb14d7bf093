/** Metrics of the light clients behind the networks' proofs. */
import type { Family } from "../meters/Family.ts"
import type { TrustedHead } from "../networks/Network.ts"
import type { Status } from "../pipeline/status.ts"

/** Returns the families of all light clients. */
export const families = (networks: Status["networks"]): ReadonlyArray<Family> => {
  const ofHeads = (name: string, help: string, read: (head: TrustedHead) => number): Family => ({
    name,
    type: "gauge",
    help,
    samples: networks.flatMap(({ name: network, trust }) =>
      (trust?.heads ?? []).map((head) => ({ labels: { network, head: head.head }, value: read(head) }))
    )
  })
  return [
    {
      name: "plumbline_trust_started",
      type: "gauge",
      help: "0 until the light client of a network has started.",
      samples: networks.flatMap(({ name: network, trust }) =>
        trust === undefined ? [] : [{ labels: { network }, value: trust.heads.length === 0 ? 0 : 1 }]
      )
    },
    ofHeads("plumbline_trust_age_seconds", "Age of the slot of a light client's head.", ({ ageSeconds }) => ageSeconds),
    ofHeads("plumbline_trust_up", "0 while answers under a light client's head are only claimed.", ({ isTrusted }) =>
      isTrusted ? 1 : 0
    ),
    ofHeads("plumbline_trust_signers", "Committee members that signed a light client's head.", ({ signed }) => signed),
    {
      name: "plumbline_trust_unknown_fork_seconds",
      type: "gauge",
      help: "Seconds until a fork that this version does not know begins; negative after its beginning.",
      samples: networks.flatMap(({ name: network, trust }) =>
        trust?.unknownFork === undefined
          ? []
          : [{ labels: { network, fork: trust.unknownFork.name }, value: trust.unknownFork.inSeconds }]
      )
    }
  ]
}
