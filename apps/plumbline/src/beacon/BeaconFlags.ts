/** The flags of the light client, which follows a beacon chain from a checkpoint. `BeaconSettings` reads their values. */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"

export const flags = {
  checkpoint: Flag.String("checkpoint").pipe(
    Flag.withMetavar("root"),
    Flag.withDescription(
      "Root of a finalized beacon block that you trust: a light client proves the newest blocks from it (default: $PLUMBLINE_CHECKPOINT, or that of the service that `plumbline up` started)"
    ),
    Flag.optional
  ),
  beacon: Flag.Redacted("beacon").pipe(
    Flag.withMetavar("url"),
    Flag.withDescription(
      "A beacon node, which need not be trusted; may be repeated (default: $PLUMBLINE_BEACON, several divided by blanks)"
    ),
    Flag.atLeast(0)
  ),
  beaconNetwork: Flag.String("beacon-network").pipe(
    Flag.withMetavar("name|file"),
    Flag.withDescription(
      "The beacon chain: mainnet, sepolia, hoodi, or a file of a network (default: $PLUMBLINE_BEACON_NETWORK, or mainnet)"
    ),
    Flag.optional
  ),
  maxCheckpointAge: Flag.String("max-checkpoint-age").pipe(
    Flag.withMetavar("time"),
    Flag.withDescription(
      "Maximum age of the checkpoint, such as 36h or 30d, or none for any age (default: $PLUMBLINE_MAX_CHECKPOINT_AGE, or 14d, from Gloas on 7d)"
    ),
    Flag.optional
  ),
  maxHeadAge: Flag.String("max-head-age").pipe(
    Flag.withMetavar("time"),
    Flag.withDescription(
      "Maximum age of the head behind a proven `latest`, such as 5m, or none for any age (default: $PLUMBLINE_MAX_HEAD_AGE, or 60s)"
    ),
    Flag.optional
  ),
  minParticipation: Flag.String("min-participation").pipe(
    Flag.withMetavar("n"),
    Flag.withDescription(
      "Minimum number of committee members that signed the head behind a proven `latest` (default: $PLUMBLINE_MIN_PARTICIPATION, or two thirds: 342 of 512)"
    ),
    Flag.optional
  )
}

export type BeaconFlags = Command.Command.Config.Infer<typeof flags>
