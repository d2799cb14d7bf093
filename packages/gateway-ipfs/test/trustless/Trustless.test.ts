/** The trustless gateway over HTTP: answers, headers, callers, refusals, usage, and answers that break off. */
import { createHash } from "node:crypto"
import * as http from "node:http"

import { assert, describe, it } from "@effect/vitest"
import { Allowlist, type ProjectLimits, UsageFigures } from "@plumbline/gateway"
import * as State from "@plumbline/gateway/support/accounts"
import * as Databases from "@plumbline/gateway/support/databases"
import { GUARDED_KEY, KEY, SECRET } from "@plumbline/gateway/support/service"
import {
  Block,
  BlockSource,
  Car,
  Cid,
  DirectoryCid,
  FileCid,
  type IpfsNode,
  IpfsNodeError,
  NodePath
} from "@plumbline/ipfs-client"
import { Context, Effect, Layer, Logger, References, Result, Stream } from "effect"

import * as Ipfs from "../support/ipfs.ts"
import { over } from "../support/ipfsProjects.ts"

const { AUTHORIZATION, nodeOf } = Ipfs

/** A directory with a file of three leaves, and a small file. */
const world = Effect.gen(function* () {
  const big = yield* Stream.runCollect(FileCid.blocks(Stream.make(Buffer.alloc(600_000, "big"))))
  const small = yield* FileCid.single(Ipfs.bytesOf("small"))!
  const entries = [
    ["big", { cid: big.at(-1)!.cid, totalSize: 600_000 }],
    ["small ü", { cid: small.cid, totalSize: 5 }]
  ] as const
  const directory = Result.getOrThrow(DirectoryCid.make(entries))
  const blocks = [...directory.blocks, ...big.toReversed(), { cid: small.cid, bytes: small.bytes }]
  return { root: directory.cid, file: big.at(-1)!.cid, small: small.cid, blocks }
})

const failed = (reason: IpfsNodeError.Reason) => new IpfsNodeError.IpfsNodeError({ reason })

/** Returns a node with these blocks. `change` can replace the bytes of a block. */
const nodeWith = (
  blocks: Iterable<Block.Block>,
  change: (cid: Cid.Cid, bytes: Uint8Array) => Effect.Effect<Uint8Array, IpfsNodeError.IpfsNodeError> = (_, bytes) =>
    Effect.succeed(bytes)
) => {
  const known = BlockSource.fromBlocks(blocks)
  const asked: Array<string> = []
  const source: NodePath.NodeBlocks = (cid) => {
    asked.push(Cid.toText(cid))
    return Effect.flatMap(
      Effect.mapError(known(cid), () => failed(new IpfsNodeError.NotFound({ cid: Cid.toText(cid) }))),
      (bytes) => change(cid, bytes)
    )
  }
  const read = (path: string) =>
    Effect.flatMap(NodePath.resolveBlock(source, path), (cid) =>
      Effect.map(Effect.mapError(BlockSource.get(source, cid), IpfsNodeError.fromBlockError), ({ bytes }) => ({
        cid,
        bytes
      }))
    )
  const node: IpfsNode.IpfsNodeCommands = nodeOf({
    blockGet: (path) => Effect.map(read(path), ({ bytes }) => bytes),
    blockStat: (path) => Effect.map(read(path), ({ bytes, cid }) => ({ cid, size: bytes.length })),
    dagResolve: (path) =>
      Effect.map(NodePath.resolve(source, path), ({ cid, inside }) => ({ cid, remainder: inside.join("/") }))
  })
  return { node, asked }
}

interface Answered {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
  /** True if the answer is complete. */
  readonly isWhole: boolean
}

/** Sends a GET request with the key and the secret, and collects the answer even if it breaks off. */
const get = (
  { port }: { readonly port: number },
  path: string,
  options: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> } = {}
): Effect.Effect<Answered> =>
  Effect.promise(
    () =>
      new Promise((resolve, reject) => {
        const { headers = { authorization: AUTHORIZATION }, method = "GET" } = options
        const request = http.request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) => {
          const pieces: Array<Buffer> = []
          response.on("data", (piece: Buffer) => pieces.push(piece))
          response.on("error", () => undefined)
          response.on("close", () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(pieces),
              isWhole: response.complete && response.trailers["x-stream-error"] === undefined
            })
          )
        })
        request.on("error", reject)
        request.end()
      })
  )

const blocksOf = (body: Uint8Array) =>
  Effect.map(Stream.runCollect(Car.read(Stream.make(body))), (items) =>
    items.map((item) =>
      item._tag === "Roots" ? `roots ${item.roots.map((cid) => Cid.toText(cid)).join(" ")}` : Cid.toText(item.cid)
    )
  )

const key = `/v3/${KEY}`

describe("a block", () => {
  it.live("is its bytes, with headers that keep it for ever and for this caller", () =>
    Effect.gen(function* () {
      const { blocks, file } = yield* world
      const service = yield* Ipfs.start(() => nodeWith(blocks).node)
      const cid = Cid.toText(file)
      const { bytes } = blocks.find((block) => Cid.equals(block.cid, file))!
      const { body, headers, status } = yield* get(service, `/ipfs/${cid}?format=raw`)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, Buffer.from(bytes))
      const { connection: _, date: __, "keep-alive": ___, "x-request-id": ____, ...rest } = headers
      const expected = {
        "content-length": String(bytes.length),
        "content-type": "application/vnd.ipld.raw",
        "content-disposition": `attachment; filename="${cid}.bin"; filename*=UTF-8''${cid}.bin`,
        "cache-control": "private, max-age=29030400, immutable",
        "accept-ranges": "bytes",
        "x-content-type-options": "nosniff",
        "x-ipfs-path": `/ipfs/${cid}`,
        "x-ipfs-roots": cid,
        "access-control-allow-origin": "*",
        "access-control-expose-headers":
          "Content-Length, Content-Range, Content-Disposition, Content-Location, Etag, X-Ipfs-Path, X-Ipfs-Roots, X-Stream-Error",
        etag: `"${cid}.raw"`,
        server: "plumbline",
        vary: "Accept"
      }
      assert.deepStrictEqual<object>(rest, expected)
      const negotiated = yield* get(service, `/ipfs/${cid}`, {
        headers: { authorization: AUTHORIZATION, accept: "application/vnd.ipld.raw" }
      })
      assert.deepStrictEqual(negotiated.body, body)
      assert.strictEqual(negotiated.headers["content-location"], "?format=raw")
    }).pipe(Effect.scoped)
  )

  it.live("is found by a path, whose CIDs are named", () =>
    Effect.gen(function* () {
      const { blocks, root, small } = yield* world
      const service = yield* Ipfs.start(() => nodeWith(blocks).node)
      const { body, headers } = yield* get(service, `${key}/ipfs/${Cid.toText(root)}/small%20%C3%BC?format=raw`, {
        headers: {}
      })
      assert.deepStrictEqual(body, Buffer.from(blocks.at(-1)!.bytes))
      assert.strictEqual(headers["x-ipfs-path"], `/ipfs/${Cid.toText(root)}/small%20%C3%BC`)
      assert.strictEqual(headers["x-ipfs-roots"], `${Cid.toText(root)},${Cid.toText(small)}`)
      assert.strictEqual(headers.etag, `"${Cid.toText(small)}.raw"`)
      assert.notInclude(JSON.stringify(headers), KEY)
    }).pipe(Effect.scoped)
  )

  it.live("that the caller has is 304, and HEAD is the head alone", () =>
    Effect.gen(function* () {
      const { blocks, file } = yield* world
      const service = yield* Ipfs.start(() => nodeWith(blocks).node)
      const path = `/ipfs/${Cid.toText(file)}?format=raw`
      const whole = yield* get(service, path)
      const head = yield* get(service, path, { method: "HEAD" })
      const { date: _, "x-request-id": __, ...headers } = whole.headers
      const { date: ___, "x-request-id": ____, ...headHeaders } = head.headers
      assert.deepStrictEqual(headHeaders, headers)
      assert.strictEqual(head.body.length, 0)
      for (const etag of [whole.headers.etag!, `W/${whole.headers.etag}`, `"x", ${whole.headers.etag}`, "*"]) {
        const known = yield* get(service, path, { headers: { authorization: AUTHORIZATION, "if-none-match": etag } })
        assert.deepStrictEqual([known.status, known.body.length, known.headers.etag], [304, 0, whole.headers.etag])
      }
      const other = yield* get(service, path, { headers: { authorization: AUTHORIZATION, "if-none-match": '"x"' } })
      assert.strictEqual(other.status, 200)
    }).pipe(Effect.scoped)
  )

  it.live("that probes for a gateway is empty, without the node", () =>
    Effect.gen(function* () {
      const { asked, node } = nodeWith([])
      const service = yield* Ipfs.start(() => node)
      for (const method of ["GET", "HEAD"]) {
        const { body, status } = yield* get(service, "/ipfs/bafkqaaa?format=raw", { method })
        assert.deepStrictEqual([status, body.length], [200, 0])
      }
      const car = yield* get(service, "/ipfs/bafkqaaa?format=car")
      assert.deepStrictEqual(yield* blocksOf(car.body), ["roots bafkqaaa"])
      assert.deepStrictEqual(asked, [])
    }).pipe(Effect.scoped)
  )
})

describe("a CAR", () => {
  it.live("has the blocks along the path, then those of its scope, depth first", () =>
    Effect.gen(function* () {
      const { blocks, file, root, small } = yield* world
      const service = yield* Ipfs.start(() => nodeWith(blocks).node)
      const [directory, big, ...rest] = blocks.map(({ cid }) => Cid.toText(cid))
      const leaves = rest.slice(0, -1)
      // The leaves of the answer are in the reverse order of `blocks`.
      const inOrder = leaves.toReversed()
      const at = Cid.toText(root)
      for (const [target, expected] of [
        [`${at}?format=car`, [at, directory, big, ...inOrder, Cid.toText(small)]],
        [`${at}?format=car&dag-scope=block`, [at, directory]],
        [`${at}?format=car&dag-scope=entity`, [at, directory]],
        [`${at}/big?format=car`, [Cid.toText(file), directory, big, ...inOrder]],
        [`${at}/big?format=car&dag-scope=block`, [Cid.toText(file), directory, big]],
        [`${at}/big?format=car&entity-bytes=-1:*`, [Cid.toText(file), directory, big, inOrder.at(-1)]],
        // The directory's block proves that there is no such entry.
        [`${at}/none?format=car`, ["bafkqaaa", directory]],
        [`${at}/big?format=car&entity-bytes=700000:*`, [Cid.toText(file), directory, big]]
      ] as const) {
        const { body, headers, isWhole, status } = yield* get(service, `/ipfs/${target}`)
        assert.deepStrictEqual([status, isWhole], [200, true], target)
        const [carRoot, ...sent] = expected
        assert.deepStrictEqual(yield* blocksOf(body), [`roots ${carRoot}`, ...sent], target)
        assert.strictEqual(headers["content-type"], "application/vnd.ipld.car; version=1; order=dfs; dups=n")
        assert.strictEqual(headers["content-length"], undefined)
        const head = yield* get(service, `/ipfs/${target}`, { method: "HEAD" })
        assert.deepStrictEqual([head.status, head.body.length, head.headers.etag], [200, 0, headers.etag])
        const known = { authorization: AUTHORIZATION, "if-none-match": headers.etag as string }
        assert.strictEqual((yield* get(service, `/ipfs/${target}`, { headers: known })).status, 304)
      }
    }).pipe(Effect.scoped)
  )

  it.live("has an Etag of its own for each scope, range, order and choice of duplicates", () =>
    Effect.gen(function* () {
      const { blocks, root } = yield* world
      const service = yield* Ipfs.start(() => nodeWith(blocks).node)
      const queries = ["", "dag-scope=block", "dag-scope=entity", "entity-bytes=0:1", "entity-bytes=0:2", "car-dups=y"]
      const targets = [...queries, "car-order=unk", "entity-bytes=0:*"].map((query) => `?format=car&${query}`)
      const answers = yield* Effect.forEach([...targets, "/big?format=car"], (target) =>
        get(service, `/ipfs/${Cid.toText(root)}${target}`, { method: "HEAD" })
      )
      const etags = answers.map(({ headers }) => headers.etag)
      // All Etags differ, even for a range that covers the whole entity.
      assert.lengthOf(new Set(etags), etags.length)
      const names = answers.map(({ headers }) => headers["content-disposition"])
      assert.include(names[0], `filename="${Cid.toText(root)}.car"`)
      assert.include(names.at(-1), `filename="${Cid.toText(root)}_big.car"`)
    }).pipe(Effect.scoped)
  )

  it.live("with any changed or missing block ends before that block, and is never whole", () =>
    Effect.gen(function* () {
      const { blocks, root } = yield* world
      for (const [bad] of blocks.entries()) {
        for (const lie of ["changed", "missing"] as const) {
          const { node } = nodeWith(blocks, (cid, bytes) => {
            if (!Cid.equals(cid, blocks[bad]!.cid)) return Effect.succeed(bytes)
            return lie === "missing"
              ? Effect.fail(failed(new IpfsNodeError.NotFound({ cid: Cid.toText(cid) })))
              : Effect.succeed(Buffer.concat([bytes, Buffer.of(0)]))
          })
          const service = yield* Ipfs.start(() => node)
          const { body, isWhole, status } = yield* get(service, `/ipfs/${Cid.toText(root)}?format=car`)
          if (bad === 0) assert.deepStrictEqual([status, isWhole], [lie === "missing" ? 404 : 502, true])
          else {
            assert.deepStrictEqual([status, isWhole], [200, false])
            assert.isFalse(body.includes(Buffer.from(blocks[bad]!.bytes)))
          }
          const raw = yield* get(service, `/ipfs/${Cid.toText(blocks[bad]!.cid)}?format=raw`)
          assert.strictEqual(raw.status, lie === "missing" ? 404 : 502)
        }
      }
    }).pipe(Effect.scoped)
  )

  it.live("is read at the pace of its caller", () =>
    Effect.gen(function* () {
      const leaves = Array.from({ length: 300 }, (_, i) => {
        const bytes = Buffer.alloc(200_000, `${i} `)
        return { cid: Result.getOrThrow(Block.cidOf(Block.RAW, bytes)), bytes }
      })
      const entries = leaves.map(({ cid }, i) => [`${i}`.padStart(3, "0"), { cid, totalSize: 1 }] as const)
      const directory = Result.getOrThrow(DirectoryCid.make(entries))
      const { asked, node } = nodeWith([...directory.blocks, ...leaves])
      const service = yield* Ipfs.start(() => node)
      const response = yield* Effect.promise(
        () =>
          new Promise<http.IncomingMessage>((resolve) =>
            http.get(
              { host: "127.0.0.1", port: service.port, path: `${key}/ipfs/${Cid.toText(directory.cid)}?format=car` },
              resolve
            )
          )
      )
      // The answer stops when the buffers of the system are full.
      let before = -1
      while (before !== asked.length) {
        before = asked.length
        yield* Effect.sleep("100 millis")
      }
      assert.isBelow(asked.length, 200)
      const body = yield* Effect.promise(async () => Buffer.concat(await response.toArray()))
      assert.lengthOf(yield* blocksOf(body), 302)
    }).pipe(Effect.scoped)
  )
})

/** Starts a service, and returns its usage too. */
const recorded = Effect.fnUntraced(function* (
  node: IpfsNode.IpfsNodeCommands,
  options: Parameters<typeof Ipfs.start>[1] & { readonly given?: Partial<State.Given> } = {}
) {
  const { given, ...rest } = options
  const context = yield* Layer.build(State.layer([{ id: "p1", key: KEY, secret: SECRET, card: true, ...given }]))
  const service = yield* Ipfs.start(() => node, { ...rest, state: Layer.succeedContext(context) })
  const figures = Context.get(context, UsageFigures.UsageFigures)
  const range = { from: 0, to: Date.now() + 3_600_000 }
  const usage = (project: string) =>
    Effect.map(
      figures.by({ ...range, project, product: "ipfs", network: "ipfs", by: ["method", "status"] }),
      ({ rows }) =>
        rows
          .map(({ bytesOut, calls, downloaded, method, status }) =>
            [method, status, calls, bytesOut, downloaded].join(" ")
          )
          .sort()
    )
  return { port: service.port, usage }
})

describe("callers", () => {
  it.live("are those with a key: in the path, or with its secret in the header; or all, if the operator says so", () =>
    Effect.gen(function* () {
      const { blocks, small } = yield* world
      const { node } = nodeWith(blocks)
      const state = State.layer([
        { id: "p1", key: KEY, secret: SECRET, card: true },
        { id: "p2", key: GUARDED_KEY, secret: SECRET, card: true, secretRequired: true }
      ])
      const guarded = `Basic ${Buffer.from(`${GUARDED_KEY}:${SECRET}`).toString("base64")}`
      const target = `/ipfs/${Cid.toText(small)}?format=raw`
      for (const access of ["off", "key", "public"] as const) {
        const service = yield* Ipfs.start(() => node, { state, ipfs: { gateway: access } })
        for (const [path, authorization, expected] of [
          [target, undefined, access === "public" ? 200 : 401],
          [target, AUTHORIZATION, 200],
          [target, guarded, 200],
          [target, `Basic ${Buffer.from(`${KEY}:${KEY}`).toString("base64")}`, 401],
          [`${key}${target}`, undefined, 200],
          [`${key}${target}`, AUTHORIZATION, 200],
          [`/v3/${GUARDED_KEY}${target}`, undefined, 401],
          [`/v3/${GUARDED_KEY}${target}`, guarded, 200],
          [`/v3/${"0".repeat(32)}${target}`, undefined, 401],
          [`/v3/public${target}`, undefined, 401],
          [`/v3/${target}`, undefined, 401]
        ] as const) {
          const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
          const { body, headers: got, status } = yield* get(service, path, { headers })
          assert.strictEqual(status, access === "off" ? 404 : expected, `${access} ${path}`)
          if (status === 200) {
            assert.deepStrictEqual(body, Buffer.from(blocks.at(-1)!.bytes))
            const isPublic = path === target && authorization === undefined
            assert.strictEqual(got["cache-control"]?.startsWith("public"), isPublic)
          }
        }
      }
    }).pipe(Effect.scoped)
  )

  it.live("without a key share the limits and the records of one project", () =>
    Effect.gen(function* () {
      const { blocks, small } = yield* world
      const limits: ProjectLimits.ProjectLimits = { ipfsReadsPerSecond: 2, ipfsDownloadedPerDay: 1000 }
      const service = yield* recorded(nodeWith(blocks).node, { ipfs: { gateway: "public", publicLimits: limits } })
      const path = `/ipfs/${Cid.toText(small)}?format=raw`
      const answers = yield* Effect.forEach([1, 2, 3, 4], () => get(service, path, { headers: {} }), {
        concurrency: "unbounded"
      })
      const statuses = answers.map(({ status }) => status)
      assert.deepStrictEqual(new Set(statuses), new Set([200, 429]))
      assert.isDefined(answers.find(({ status }) => status === 429)?.headers["retry-after"])
      const [ok] = yield* service.usage("public")
      assert.match(ok!, /^block\/get 200 /u)
      assert.deepStrictEqual(yield* service.usage("p1"), [])
    }).pipe(Effect.scoped)
  )

  it.live("are refused as in the API: by suspension, card, lists and methods, each recorded", () =>
    Effect.gen(function* () {
      const { blocks, small } = yield* world
      const { asked, node } = nodeWith(blocks)
      const path = `${key}/ipfs/${Cid.toText(small)}?format=raw`
      for (const [given, ipfs, status] of [
        [{}, {}, 200],
        [{ suspended: true }, {}, 403],
        [{ card: false }, {}, 403],
        [{ allowlist: { ...Allowlist.none, networks: ["live"] } }, {}, 403],
        [{ allowlist: { ...Allowlist.none, networks: ["ipfs"] } }, {}, 200],
        [{ allowlist: { ...Allowlist.none, methods: ["cat"] } }, {}, 403],
        [{ allowlist: { ...Allowlist.none, methods: ["block/get"] } }, {}, 200],
        [{ allowlist: { ...Allowlist.none, origins: ["https://app.example"] } }, {}, 403],
        [{}, { disallowed: ["block/get"] }, 403],
        [{}, { disallowed: ["dag/export"] }, 200]
      ] as const) {
        asked.length = 0
        const service = yield* recorded(node, { given, ipfs })
        const answer = yield* get(service, path, { headers: {} })
        assert.deepStrictEqual(
          [answer.status, asked.length > 0],
          [status, status === 200],
          JSON.stringify([given, ipfs])
        )
        assert.strictEqual(answer.headers["access-control-allow-origin"], "*")
        const usage = yield* service.usage("p1")
        assert.lengthOf(usage, 1)
        assert.match(usage[0]!, new RegExp(` ${status} 1 ${answer.body.length} `, "u"))
      }
    }).pipe(Effect.scoped)
  )

  it.live("on a page may ask from any origin, as far as the project's list allows", () =>
    Effect.gen(function* () {
      const { blocks, small } = yield* world
      const given = { allowlist: { ...Allowlist.none, origins: ["https://app.example"] } }
      const service = yield* recorded(nodeWith(blocks).node, { given })
      const path = `${key}/ipfs/${Cid.toText(small)}?format=raw`
      const ask = (method: string, origin: string) =>
        get(service, path, { method, headers: { origin, "user-agent": "Mozilla/5.0" } })
      const preflight = yield* ask("OPTIONS", "https://other.example")
      assert.strictEqual(preflight.status, 204)
      assert.strictEqual(preflight.headers["access-control-allow-origin"], "*")
      assert.include(preflight.headers["access-control-allow-headers"], "authorization")
      assert.strictEqual((yield* ask("GET", "https://app.example")).status, 200)
      assert.strictEqual((yield* ask("GET", "https://other.example")).status, 403)
    }).pipe(Effect.scoped)
  )
})

describe("refusals", () => {
  it.live("have the statuses of the specification", () =>
    Effect.gen(function* () {
      const { blocks, root, small } = yield* world
      const at = Cid.toText(root)
      const hang = "bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e"
      const { node } = nodeWith(blocks)
      const stuck: IpfsNode.IpfsNodeCommands = {
        ...node,
        blockGet: (path) => (path === hang ? Effect.never : node.blockGet(path))
      }
      const service = yield* recorded(stuck, {
        ipfs: { gatewayBlocked: [Cid.toText(small)], gatewayTimeout: "200 millis" }
      })
      const missing = "bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"
      for (const [target, status, headers] of [
        [at, 400, {}],
        [at, 406, { accept: "*/*" }],
        [`${at}?format=tar`, 406, {}],
        ["nothing?format=raw", 400, {}],
        [`${at}?format=car&dag-scope=some`, 400, {}],
        [`${missing}?format=raw`, 404, {}],
        [`${missing}?format=car`, 404, {}],
        [`${missing}/name?format=car`, 404, {}],
        [`${at}/none?format=raw`, 404, {}],
        [`${at}/big/below?format=raw`, 404, {}],
        [`${missing}?format=raw`, 412, { "cache-control": "max-age=0, only-if-cached" }],
        [`${at}?format=raw`, 200, { "cache-control": "only-if-cached" }],
        [`${Cid.toText(small)}?format=raw`, 410, {}],
        [`${Cid.toText(small)}?format=raw`, 410, { "if-none-match": "*" }],
        [`${Cid.toText(Cid.toV1(small))}?format=car`, 410, {}],
        [`${at}/small%20%C3%BC?format=raw`, 410, {}],
        [`${hang}?format=raw`, 504, {}],
        [`${hang}?format=car`, 504, {}]
      ] as const) {
        const answer = yield* get(service, `${key}/ipfs/${target}`, { headers })
        assert.strictEqual(answer.status, status, `${target} ${String(answer.body)}`)
        if (status === 200) continue
        assert.match(String(answer.body), /^[^\n]+\n$/u)
        assert.strictEqual(answer.headers["cache-control"], undefined)
        if (Object.keys(headers).length > 0 || status === 504) continue
        const head = yield* get(service, `${key}/ipfs/${target}`, { method: "HEAD", headers })
        assert.deepStrictEqual([head.status, head.body.length], [status, 0])
      }
      for (const method of ["POST", "PUT", "DELETE"]) {
        const answer = yield* get(service, `${key}/ipfs/${at}?format=raw`, { method, headers: {} })
        assert.deepStrictEqual([answer.status, answer.headers.allow], [405, "GET, HEAD, OPTIONS"])
      }
      // A CAR breaks off before a blocked block.
      const cut = yield* get(service, `${key}/ipfs/${at}?format=car`, { headers: {} })
      assert.deepStrictEqual([cut.status, cut.isWhole], [200, false])
    }).pipe(Effect.scoped)
  )

  it.live("of a quota are 429 before the first byte, and cut the answer after it; what passed is counted", () =>
    Effect.gen(function* () {
      const { blocks, root } = yield* world
      const database = yield* Databases.kinds[0]!.fresh
      const projects = yield* over({ ...nodeWith(blocks).node, pinLs: () => Stream.empty }, database)
      const context = yield* Layer.build(State.layer([{ id: "p1", key: KEY, secret: SECRET, card: true }]))
      const service = yield* Ipfs.start(({ project }) => projects.node(project, { downloaded: 300_000 }), {
        state: Layer.succeedContext(context)
      })
      const cut = yield* get(service, `${key}/ipfs/${Cid.toText(root)}?format=car`)
      assert.deepStrictEqual([cut.status, cut.isWhole], [200, false])
      const { downloaded } = yield* projects.usage({ id: "p1" })
      assert.isTrue(downloaded > 262_144 && downloaded <= 300_000)
      const leaf = blocks.find(({ bytes }) => bytes.length > 200_000)!
      const over429 = yield* get(service, `${key}/ipfs/${Cid.toText(leaf.cid)}?format=raw`)
      assert.strictEqual(over429.status, 429)
      assert.match(String(over429.body), /^quota exceeded: /u)
      // HEAD requests and resolved paths do not count as downloads.
      const before = (yield* projects.usage({ id: "p1" })).downloaded
      const head = yield* get(service, `${key}/ipfs/${Cid.toText(root)}/big?format=raw`, { method: "HEAD" })
      assert.strictEqual(head.status, 200)
      assert.strictEqual((yield* projects.usage({ id: "p1" })).downloaded, before)
    }).pipe(Effect.scoped)
  )

  it.live("and everything else are recorded with their status and their bytes, and no log has the key", () =>
    Effect.gen(function* () {
      const { blocks, root, small } = yield* world
      const lines: Array<string> = []
      const logger = Logger.make<unknown, void>(({ fiber, message }) => {
        lines.push(`${String(message)} ${JSON.stringify(fiber.getRef(References.CurrentLogAnnotations))}`)
      })
      const service = yield* recorded(nodeWith(blocks).node, { accessLog: true, loggers: [logger] })
      const paths = [`${Cid.toText(small)}?format=raw`, `${Cid.toText(root)}?format=car`, "x?format=raw"]
      const bodies: Array<number> = []
      for (const path of paths) bodies.push((yield* get(service, `${key}/ipfs/${path}`, { headers: {} })).body.length)
      const usage = yield* service.usage("p1")
      const size = blocks.at(-1)!.bytes.length
      const all = blocks.reduce((sum, { bytes }) => sum + bytes.length, 0)
      assert.deepStrictEqual(usage, [
        `block/get 200 1 ${size} ${size}`,
        `block/get 400 1 ${bodies[2]} 0`,
        `dag/export 200 1 ${bodies[1]} ${all}`
      ])
      const text = lines.join("\n")
      assert.notInclude(text, KEY)
      assert.include(text, '"path":"/v3/<redacted>/ipfs/<redacted>"')
    }).pipe(Effect.scoped)
  )
})

/**
 * The requests that `@helia/verified-fetch` 8.0.4 sent for `ipfs://<directory>/a.txt` and for `/big.bin`, in order and
 * with their headers. The library checks the bytes against the CIDs.
 */
const requestsOfVerifiedFetch = [
  "bafybeifor2w5dce45neqzwy4o3ypxlyyycxeoi35pkeu7tohrzr37zhkza",
  "bafkreigw3cswu5prekfbyexwe5qzbi2rw3g4vgllgaglqp52ptels7b2wi",
  "bafybeid3a3lcmihd3ymli2ln4m3rha6djdrh5kenaz2zqgdlpau5hyesty",
  "bafkreibwg653s7uy2ae7fpsnbvffbzzughlla6z63y4yfhqjxp2wnklsua",
  "bafkreie6hlywf2pxnc2ynhamakdloxoentxwafdkod2a6w3cs6ldxphn4e"
].map((cid) => ({ cid, path: `/ipfs/${cid}?format=raw`, accept: "application/vnd.ipld.raw" }))

/** Returns the SHA-256 at the end of a CID of version 1 in base32. */
const digestOf = (cid: string): Buffer => {
  const bits = Array.from(cid.slice(1), (letter) => "abcdefghijklmnopqrstuvwxyz234567".indexOf(letter))
  const text = bits.map((value) => value.toString(2).padStart(5, "0")).join("")
  const bytes = Array.from({ length: Math.floor(text.length / 8) }, (_, at) =>
    Number.parseInt(text.slice(8 * at, 8 * at + 8), 2)
  )
  return Buffer.from(bytes.slice(-32))
}

describe("a page with @helia/verified-fetch", () => {
  it.live("gets every block that it asks for, without a key, from any origin", () =>
    Effect.gen(function* () {
      const big = yield* Stream.runCollect(FileCid.blocks(Stream.make(Buffer.alloc(600_000, 7)), FileCid.KUBO_V1))
      const small = yield* FileCid.single(Ipfs.bytesOf("hello verified world\n"), FileCid.KUBO_V1)!
      const file = big.at(-1)!.cid
      const directory = Result.getOrThrow(
        DirectoryCid.make(
          [
            ["a.txt", { cid: small.cid, totalSize: 21 }],
            ["big.bin", { cid: file, totalSize: 600_158 }]
          ],
          FileCid.KUBO_V1
        )
      )
      const { node } = nodeWith([...directory.blocks, ...big, { cid: small.cid, bytes: small.bytes }])
      const service = yield* recorded(node, { ipfs: { gateway: "public" } })
      for (const { accept, cid, path } of requestsOfVerifiedFetch) {
        const headers = { accept, origin: "https://app.example", "user-agent": "Mozilla/5.0" }
        const got = yield* get(service, path, { headers })
        assert.strictEqual(got.status, 200, cid)
        assert.strictEqual(got.headers["content-type"], "application/vnd.ipld.raw")
        assert.strictEqual(got.headers["access-control-allow-origin"], "*")
        assert.strictEqual(got.headers["content-length"], String(got.body.length))
        assert.deepStrictEqual(createHash("sha256").update(got.body).digest(), digestOf(cid))
      }
    }).pipe(Effect.scoped)
  )
})
