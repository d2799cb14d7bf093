/** The access of one project to the node that all projects share. */
import type { IpfsQuotaLimits } from "@plumbline/gateway/limits/IpfsQuota"
import type { IpfsNodeCommands } from "@plumbline/ipfs-client/node/IpfsNode"
import type { IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import type { DiskReserve } from "./diskReserve.ts"
import type { PinLedger } from "./pinLedger.ts"
import type { PinOwner, ProjectPins } from "./projectPins.ts"
import type { TransferCounters, TransferDirection } from "./transfers.ts"

/** The services that all projects share. */
export interface SharedServices {
  readonly node: IpfsNodeCommands
  readonly ledger: PinLedger
  readonly pins: ProjectPins
  readonly counters: TransferCounters
  readonly room: DiskReserve
}

/** The access of one project. */
export interface ProjectAccess extends SharedServices {
  readonly project: string
  readonly limits: IpfsQuotaLimits
  readonly owner: PinOwner
}

/** Counts bytes of a project. Fails if they exceed its quota. */
export const take = (
  { counters, limits, project }: ProjectAccess,
  way: TransferDirection,
  bytes: number
): Effect.Effect<void, IpfsNodeError> => counters.take({ project, way, bytes, limit: limits[way] })

/** Writes the counts to the database at the end of a stream, even if the stream fails. */
export const written = <A, E>(
  { counters }: ProjectAccess,
  stream: Stream.Stream<A, E>
): Stream.Stream<A, E | IpfsNodeError> =>
  Stream.concat(stream, Stream.fromEffectDrain(counters.written)).pipe(Stream.ensuring(Effect.ignore(counters.written)))
