/**
 * The order of the steps of a call through the service, with the reason for each position.
 *
 * These steps run once per HTTP request or WebSocket. They use only the head of the request, so that an unknown caller
 * cannot make the service hold five megabytes:
 *
 * 1. **The address** (`addressLimit.ts`). One request is taken from the bucket of the caller's address. Only this limits
 *    guesses at keys, so it comes before the key is read.
 * 2. **Authentication** (`Authentication.ts`). A caller without a key does not learn the networks, the methods or the
 *    accepted content types.
 * 3. **Admission** (`requestAdmission.ts`): checks of the project, not of the call. They are suspension, the allowlists of
 *    origins and user agents, the product's card rule, the network of the Host header, and the allowlist of networks. A
 *    refusal here saves all later work. A WebSocket is checked again with each message, and about three times a second
 *    while it is idle.
 *
 * Then these steps run for each body or message, as a whole:
 *
 * 4. **Check** (`callPackets.ts`, `CallCheck.ts`). Calls of known methods with valid parameters pass, in their canonical
 *    form, if the allowlists of methods and addresses permit them. The check comes before any limit is counted, because
 *    a price needs a known method. It comes before the node, because nodes are lenient. The number of messages and
 *    values is checked before any of them is parsed. All of this runs in steps, and the event loop runs other work
 *    between them (`stepScheduler.ts`), so no packet delays the others.
 * 5. **Metering is ready** (in `settlement.ts`, like steps 6, 8 and 9). Work that cannot be recorded does not begin.
 * 6. **Limits.** The limits of the project and of its key admit all calls of a packet, at their maximum cost, or none.
 *    This comes after the check, because the cost of a packet is known only then. It is the last step before the node,
 *    so credits are taken only for calls that are run.
 * 7. **The node** (`nodeStep.ts`), for each call. This is the only step that waits for an outside service.
 * 8. **Usage.** The final status of each call is known, and with it the cost. The usage of an acknowledged call is on
 *    the disk before its answer is sent.
 * 9. **Settlement.** The limits are charged the final credits, and the packet's place among concurrent work is free
 *    again. This comes after the usage: an unrecorded call is not charged.
 * 10. **The answer** is sent. Its HTTP status follows from the outcomes of the calls.
 *
 * From step 6 on, every call is completed. If a caller leaves, its calls are interrupted, recorded with status 499 and
 * settled. Calls that the service itself gives up get 503 and are free. A refusal of a known project is limited,
 * recorded and charged like a call (`refusals.ts`), at the cost of refusals. Unknown callers are not metered.
 *
 * A subscription begins and ends with a call like any other. Its events skip these steps, and are settled every second.
 * An event that cannot be paid for or recorded ends the WebSocket (`eventSettlement.ts`).
 *
 * Protocols other than JSON-RPC use the first three steps too. Their callers send key and secret in one header, or the
 * key in the path (`openBasic`); callers without a key are admitted as a given holder (`openAs`). Each protocol passes
 * in its terms (`productTerms.ts`): the limits, charges and wording of its refusals. The rate of an IPFS command is checked
 * before its query and the allowlist of methods, so all later refusals are bounded. The command costs no credits. Its
 * usage is on the disk before its answer ends.
 */
import * as Message from "@plumbline/jsonrpc-core/message/Message"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

import type { KeyHolder } from "../accounts/Account.ts"
import type { Accounts } from "../accounts/Accounts.ts"
import type { Product } from "../accounts/Product.ts"
import type { RequestCaller, RequestWork } from "../http/callDoor.ts"
import * as Exits from "../http/exits.ts"
import * as HttpRefusal from "../http/HttpRefusal.ts"
import { InFlight } from "../http/inFlight.ts"
import type { PacketAnswer } from "../http/PacketAnswer.ts"
import { type SpawnFiber, WHOLE } from "../http/requestFibers.ts"
import { observe, type WorkEnd } from "../http/workEnd.ts"
import type { Limiter } from "../limits/Limiter.ts"
import type { Metering } from "../metering/Metering.ts"
import { UNKNOWN_METHOD } from "../metering/Usage.ts"
import { ServiceMeters } from "../meters/serviceMeters.ts"
import type { Policy } from "./AccessPolicy.ts"
import * as AddressLimit from "./addressLimit.ts"
import * as CallPackets from "./callPackets.ts"
import { broken, unavailable } from "./nodeFaults.ts"
import { answer, PacketJob, type PacketReply, type PacketTransport } from "./packetJob.ts"
import type { ProductTerms } from "./productTerms.ts"
import * as Refusals from "./refusals.ts"
import * as RequestAdmission from "./requestAdmission.ts"
import type { AdmittedCaller, KnownProject, CallerSession } from "./requestAdmission.ts"
import type { CurrentConfig } from "./runtimeConfig.ts"
import * as Settlement from "./settlement.ts"
import { StepScheduler } from "./stepScheduler.ts"
import { WaitingPacket } from "./waitingPacket.ts"

export type { PacketAnswer } from "../http/PacketAnswer.ts"
export type { RequestCaller, RequestWork } from "../http/callDoor.ts"
export type { StepEnd, WorkEnd } from "../http/workEnd.ts"
export type { SpawnFiber } from "../http/requestFibers.ts"
export type { ServiceMeters } from "../meters/serviceMeters.ts"
export type { ProjectWork, WorkOutcome, Settlement } from "./settlement.ts"
export type { RuntimeConfig, CurrentConfig } from "./runtimeConfig.ts"
export type { AdmittedCaller, KnownProject, CallerSession } from "./requestAdmission.ts"
export type { ConnectionSubscriptions } from "./connectionSubscriptions.ts"
export type { PacketReply, PacketTransport } from "./packetJob.ts"
export type { ProductTerms } from "./productTerms.ts"
export type { StepScheduler } from "./stepScheduler.ts"
export type { RefusalBytes } from "./refusals.ts"

/** The labels of a call whose project is not known. */
interface UnknownProject {
  readonly product: Product
  /** The name of a network, or of a protocol other than JSON-RPC; undefined for an unknown network. */
  readonly network: string | undefined
  readonly method?: string | undefined
}

/**
 * The steps, in order. `open` runs the steps about the caller, and `handle` runs the other steps for one body or
 * message. HTTP and WebSocket use the same functions, so they treat a call in the same way.
 */
export interface Pipeline {
  /** Admits a caller at an address. A refusal of a known project is recorded and charged before it is returned. */
  readonly open: (address: string, caller: RequestCaller) => Effect.Effect<CallerSession, HttpRefusal.HttpRefusal>
  /**
   * Admits the caller of a session again, as `open` would, without an Effect. Returns false if `open` has to be asked;
   * then nothing was taken.
   */
  readonly reopen: (address: string, session: CallerSession) => boolean
  /**
   * Admits a caller of a protocol other than JSON-RPC. The key is in the path, or key and secret are in the
   * Authorization header. `place` is the protocol's name in allowlists and usage; JSON-RPC has the name of a network
   * there. `method` is the metered name of the call, if the path names a known one.
   */
  readonly openBasic: (
    address: string,
    caller: RequestCaller,
    place: string,
    terms: ProductTerms,
    method?: string
  ) => Effect.Effect<AdmittedCaller, HttpRefusal.HttpRefusal>
  /** Admits a caller without credentials. The operator chose the holder for such callers. */
  readonly openAs: (
    address: string,
    holder: KeyHolder,
    caller: RequestCaller,
    place: string,
    terms: ProductTerms
  ) => Effect.Effect<AdmittedCaller, HttpRefusal.HttpRefusal>
  /** Admits the caller of a WebSocket again. It costs almost nothing if nothing has changed. */
  readonly renew: (session: CallerSession) => Effect.Effect<CallerSession, HttpRefusal.HttpRefusal>
  /**
   * Runs a packet. It can be interrupted while it waits for the node or the store of projects, even in an
   * uninterruptible fiber. It then ends with the recorded outcome.
   */
  readonly handle: (session: CallerSession, packet: Uint8Array, way: PacketTransport) => Effect.Effect<PacketReply>
  /**
   * Runs a packet as `handle` does, and tells `end`, perhaps before it returns. A fiber is used only while the packet
   * has to wait. The returned work can be interrupted like a fiber of `handle`.
   */
  readonly begin: (
    session: CallerSession,
    packet: Uint8Array,
    way: PacketTransport,
    fork: SpawnFiber,
    end: WorkEnd<PacketReply>
  ) => RequestWork
  /** Returns the answer on a WebSocket to a message that failed because of the service. */
  readonly fail: (session: CallerSession, packet: Uint8Array, refusal: HttpRefusal.HttpRefusal) => PacketAnswer
  /** Records and charges a refusal of a known project, and returns the refusal to send. */
  readonly refuse: (
    known: KnownProject,
    refusal: HttpRefusal.HttpRefusal,
    bytes: Refusals.RefusalBytes
  ) => Effect.Effect<HttpRefusal.HttpRefusal>
  /** Runs work for a project within its limits, and records its outcome. */
  readonly settlement: Pick<Settlement.Settlement, "more" | "run">
  /** Completes when all work that began is recorded and settled. */
  readonly idle: Effect.Effect<void>
}

/**
 * Makes the pipeline over a state and the current configuration. It is made once. A call makes no layers and no
 * Schemas.
 */
export const make = (options: {
  readonly accounts: Accounts["Service"]
  readonly limiter: Limiter["Service"]
  readonly metering: Metering["Service"]
  readonly policy: Policy
  readonly live: CurrentConfig
  /** The turns that this pipeline shares with other work. Default: the pipeline has separate turns. */
  readonly turns?: StepScheduler | undefined
  /** The counters of the service. Default: counters that nothing reads. */
  readonly meters?: ServiceMeters | undefined
}): Pipeline => {
  const { limiter, meters = new ServiceMeters(), turns = new StepScheduler() } = options
  const admission = RequestAdmission.make(options)
  const settlement = Settlement.make(limiter, options.metering, meters)
  const { latencies } = options.metering
  const reading = new InFlight<object>()

  /**
   * Counts a refusal of a caller whose project is not known: of a call because a store is down, which alerts on failing
   * calls must see, or of a caller without a valid key. Nothing records such a refusal, and no part of the key is kept.
   */
  const unheard = (place: UnknownProject, refusal: HttpRefusal.HttpRefusal): HttpRefusal.HttpRefusal => {
    const { method = UNKNOWN_METHOD, network, product } = place
    if (refusal === HttpRefusal.unavailable && network !== undefined) {
      const { status } = refusal
      meters.used({ product, network, method, status, calls: 1, credits: 0, bytesIn: 0, bytesOut: 0 })
    } else if (refusal.status === HttpRefusal.unknownKey.status) meters.unauthorized++
    return refusal
  }

  /** Finds the network of a caller of JSON-RPC. An unknown name has no place: labels are the operator's. */
  const placeOf = ({ host, network }: RequestCaller): UnknownProject => {
    const { byName, route } = options.live.current
    const found = network === undefined ? route(host) : byName.get(network)
    return { product: "rpc", network: found?.name }
  }

  /**
   * Settles the refusal of a caller, if the project is known. `bytesIn` is the part of the body that was already read.
   */
  const settleRefused = <A>(
    { isHead }: RequestCaller,
    place: () => UnknownProject,
    entered: Effect.Effect<A, RequestAdmission.RefusedCaller>,
    bytesIn = 0
  ): Effect.Effect<A, HttpRefusal.HttpRefusal> => {
    const exit = Exits.exitOf(entered)
    if (exit?._tag === "Success") return Exit.succeed(exit.value)
    return Effect.catch(Effect.interruptible(entered), ({ known, refusal }) =>
      known === undefined
        ? Effect.fail(unheard(place(), refusal))
        : Effect.flatMap(
            Refusals.refuse(settlement, known, refusal, { bytesIn, bytesOut: isHead ? 0 : undefined }),
            Effect.fail
          )
    )
  }

  /** Admits an address, and then a caller. */
  const enter = <A>(
    from: string,
    caller: RequestCaller,
    place: () => UnknownProject,
    admit: () => Effect.Effect<A, RequestAdmission.RefusedCaller>
  ): Effect.Effect<A, HttpRefusal.HttpRefusal> =>
    Exits.flatMap(
      Exits.mapError(AddressLimit.admit(limiter, meters, from), (refusal) => unheard(place(), refusal)),
      () => settleRefused(caller, place, admit())
    )

  const handle = (
    session: CallerSession,
    packet: CallPackets.CallPacket,
    way: PacketTransport
  ): Effect.Effect<PacketReply> => settlement.run(new PacketJob(session, packet, way, meters))

  /** Reads and checks a packet, as soon as its project has a turn. */
  const packetOf = (session: CallerSession, body: Uint8Array): Effect.Effect<CallPackets.CallPacket> =>
    turns.run(session.holder.project.id, CallPackets.read(session, body, latencies.of(session.network.name)))

  /** Runs a packet when it has been read. */
  const read = (
    session: CallerSession,
    packet: Effect.Effect<CallPackets.CallPacket>,
    way: PacketTransport
  ): Effect.Effect<PacketReply> => {
    const known = Exits.exitOf(packet)
    if (known?._tag === "Success") return handle(session, known.value, way)
    // This token keeps the packet's nodes open, and the service running, while the packet waits for a turn.
    const token = {}
    const { users } = session.config
    reading.add(token)
    users.add(token)
    return Effect.flatMap(packet, (packet) => handle(session, packet, way)).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          reading.delete(token)
          users.delete(token)
        })
      ),
      Effect.uninterruptible
    )
  }

  const whole = (session: CallerSession, body: Uint8Array, way: PacketTransport): Effect.Effect<PacketReply> =>
    Effect.suspend(() => {
      if (session.config === options.live.current) return read(session, packetOf(session, body), way)
      // The options were reloaded while the body arrived, so the previous node may be closed.
      const place = () => placeOf(session.caller)
      return Effect.matchEffect(settleRefused(session.caller, place, admission.renew(session), body.length), {
        onFailure: Effect.succeed,
        onSuccess: (session) => read(session, packetOf(session, body), way)
      })
    })

  return {
    open: (from, caller) =>
      enter(
        from,
        caller,
        () => placeOf(caller),
        () => admission.enter(caller)
      ),
    reopen: (from, session) => admission.holds(session) && AddressLimit.admits(limiter, from),
    openBasic: (from, caller, place, terms, method) =>
      enter(
        from,
        caller,
        () => ({ product: terms.product, network: place, method }),
        () => admission.enterBasic(caller, place, terms, method)
      ),
    openAs: (from, holder, caller, place, terms) =>
      enter(
        from,
        caller,
        () => ({ product: terms.product, network: place }),
        () => admission.enterAs(holder, caller, place, terms)
      ),
    renew: (session) => Exits.mapError(admission.renew(session), ({ refusal }) => refusal),
    handle: whole,
    begin: (session, body, way, fork, end) => {
      if (session.config !== options.live.current) return observe(fork(whole(session, body, way), WHOLE), end)
      const job = CallPackets.read(session, body, latencies.of(session.network.name))
      const packet = turns.runNow(job)
      if (packet !== undefined) return settlement.begin(new PacketJob(session, packet, way, meters), fork, end)
      const project = session.holder.project.id
      return new WaitingPacket({
        turns,
        project,
        job,
        sets: [reading, session.config.users],
        begin: (packet, end) => settlement.begin(new PacketJob(session, packet, way, meters), fork, end),
        end
      })
    },
    fail: (session, body, refusal) => {
      const { status } = unheard(placeOf(session.caller), refusal)
      const packet = CallPackets.ids(session, body)
      const error = status === HttpRefusal.unavailable.status ? unavailable.error : broken.error
      return answer(Message.join(packet, Message.refuse(packet, error)), status)
    },
    refuse: (known, refusal, bytes) => {
      if (refusal === HttpRefusal.busy) meters.limited("capacity")
      else if (refusal === HttpRefusal.tooManySockets) meters.limited("sockets")
      return Refusals.refuse(settlement, known, refusal, bytes)
    },
    settlement,
    idle: Effect.andThen(reading.idle, settlement.idle)
  }
}
