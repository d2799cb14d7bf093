/**
 * The service: the chains, an IPFS node, the projects of a data folder, and the gateway in front.
 *
 * It is loaded by `up` alone, so that the reading commands start without it.
 */
import * as Anvil from "@plumbline/devnet/Anvil"
import * as History from "@plumbline/devnet/History"
import * as StarknetPool from "@plumbline/devnet/StarknetPool"
import * as EthMethods from "@plumbline/eth-methods/EthMethods"
import * as ApiKeys from "@plumbline/gateway/ApiKeys"
import * as Gateway from "@plumbline/gateway/Gateway"
import type { GatewayError } from "@plumbline/gateway/GatewayError"
import * as HttpUpstream from "@plumbline/gateway/HttpUpstream"
import type { IpfsOptions } from "@plumbline/gateway/IpfsOptions"
import type { Network } from "@plumbline/gateway/Network"
import * as PendingUpstream from "@plumbline/gateway/PendingUpstream"
import type { Upstream } from "@plumbline/gateway/Upstream"
import type * as MethodGroup from "@plumbline/jsonrpc-core/MethodGroup"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import type * as Redacted from "effect/Redacted"

import { AlreadyRunning, ChainEnded } from "../CommandError.ts"
import * as ServiceFile from "../ServiceFile.ts"
import * as Credentials from "./Credentials.ts"
import * as Ipfs from "./Ipfs.ts"

/** How it is started. */
export interface Options {
  readonly folder: string
  readonly port: number
  /** Whether any free port will do when this one is busy. */
  readonly portMayDiffer: boolean
  /** The URL of the IPFS node to ask, which may have a key in it; the embedded one unless there is one. */
  readonly ipfs: Redacted.Redacted | undefined
  /** Called before each step, with what comes. */
  readonly progress: (step: string) => Effect.Effect<void>
}

/** A service that answers. */
export interface Service {
  readonly record: ServiceFile.Running & { readonly wsUrl: string; readonly ipfsUrl: string }
  /** Its networks, by what they are. `live` is the first in the record, and the one for hosts that lead to none. */
  readonly live: ServiceFile.Network
  readonly history: ServiceFile.Network
  readonly pool: ServiceFile.Network
  readonly ended: Effect.Effect<never, ChainEnded>
}

/**
 * Starts the service; it ends with the scope, in the reverse order: the record is cleared, the gateway drained, the live
 * chain stopped, the IPFS node closed. The history chain and the pool are memory of this process, and end with it.
 */
export const start = Effect.fnUntraced(function* (options: Options) {
  const { folder, progress } = options
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* Effect.mapError(fs.makeDirectory(folder, { recursive: true, mode: 0o700 }), (error) =>
    ServiceFile.dataError(folder, "Unwritable", error)
  )
  yield* refuseSecond(folder)

  const keys = yield* Layer.build(ApiKeys.layerFile(path.join(folder, "projects.json")))
  const rest = yield* Effect.provideContext(Credentials.ensure(folder), keys)

  yield* progress("opening the IPFS node ...")
  const ipfs = yield* Ipfs.open({ folder: path.join(folder, "ipfs"), upstream: options.ipfs })

  yield* progress("starting the chains ...")
  const [anvil, node, starknet] = yield* Effect.all([Anvil.make(), History.make, StarknetPool.make()], {
    concurrency: "unbounded"
  })
  const first = network("live", anvil.chainId, yield* HttpUpstream.make({ url: anvil.url }))
  const second = network("history", node.chainId, node)
  const third = network("starknet-pool", Number(starknet.chainId), PendingUpstream.make(starknet), StarknetPool.group)

  yield* progress("starting the gateway ...")
  const gateway = yield* listen(options, [first, second, third], ipfs).pipe(Effect.provideContext(keys))
  const { port, url, wsUrl } = gateway
  const live = recordOf(first, port)
  const history = recordOf(second, port)
  const pool = recordOf(third, port)
  const record = { ...rest, url, wsUrl, ipfsUrl: url, pid: process.pid, networks: [live, history, pool] }
  // once more: of two that started at the same time, one has written its record by now
  yield* refuseSecond(folder)
  yield* Effect.acquireRelease(ServiceFile.write(folder, record), () => clear(folder))

  const service: Service = {
    record,
    live,
    history,
    pool,
    ended: Effect.flatMap(anvil.exited, (exit) =>
      Effect.fail(new ChainEnded({ network: live.name, detail: exit.message }))
    )
  }
  return service
})

/** Its host is its name before `localhost`, which is this machine to whoever resolves names as RFC 6761 says. */
const network = (name: string, chainId: number, upstream: Upstream, methods: MethodGroup.Any = EthMethods.group) => ({
  name,
  hosts: [`${name}.localhost`] as const,
  chainId,
  methods,
  upstream
})

const recordOf = ({ chainId, hosts, name }: ReturnType<typeof network>, port: number): ServiceFile.Network => ({
  name,
  host: `${hosts[0]}:${port}`,
  chainId
})

const listen = Effect.fnUntraced(function* (options: Options, networks: ReadonlyArray<Network>, ipfs: IpfsOptions) {
  const on = (port: number) =>
    Effect.map(Layer.build(Gateway.layer({ networks, ipfs, port })), (context) => Context.get(context, Gateway.Gateway))
  return yield* on(options.port).pipe(
    Effect.catchIf(
      (error) => options.portMayDiffer && isBusy(error),
      () => Effect.andThen(options.progress(`port ${options.port} is busy: taking any free one ...`), on(0))
    )
  )
})

const isBusy = ({ reason }: GatewayError): boolean => reason._tag === "CannotListen" && reason.code === "EADDRINUSE"

/** Two services on one folder would overwrite each other's projects. */
const refuseSecond = Effect.fnUntraced(function* (folder: string) {
  const first = yield* ServiceFile.running(folder).pipe(Effect.catchTag("NoService", () => Effect.succeed(undefined)))
  if (first === undefined || !(yield* answers(first.url))) return
  return yield* new AlreadyRunning({ folder, url: first.url, pid: first.pid })
})

/** Whether a service says at this URL how it is. Whatever else is there by now, or nothing, is no service. */
const answers = (url: string): Effect.Effect<boolean> =>
  Effect.tryPromise(async (signal) => {
    const response = await fetch(`${url}/health`, { signal, redirect: "manual" })
    const health: unknown = await response.json()
    return typeof health === "object" && health !== null && "status" in health && "networks" in health
  }).pipe(
    Effect.timeout("2 seconds"),
    Effect.orElseSucceed(() => false)
  )

/** Clears the running part of the record, unless another service has taken the folder over. */
const clear = (folder: string) =>
  Effect.ignore(
    Effect.flatMap(ServiceFile.read(folder), (record) =>
      record?.pid === process.pid ? ServiceFile.write(folder, ServiceFile.stopped(record)) : Effect.void
    )
  )
