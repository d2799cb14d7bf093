/**
 * The configuration file as it is written: every setting, what it is for, and its default.
 *
 * Nothing is required. `ConfigJsonSchema` makes the JSON Schema of it, `Settings` what the service runs with.
 */
import * as GatewayOptions from "@plumbline/gateway/GatewayOptions"
import * as IpfsOptions from "@plumbline/gateway/IpfsOptions"
import * as Limits from "@plumbline/gateway/Limits"
import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

import * as Kinds from "./Kinds.ts"

const { entries, flag, formed, group, listOf, text, time, url, whole, word } = Kinds
const may = Schema.optionalKey

/** Bounds that are as many as the gateway takes. */
const COUNT = 1_000_000_000

const count = (description: string, fallback?: number) =>
  may(whole(1, COUNT, fallback === undefined ? { description } : { description, default: fallback }))

const size = (description: string, fallback?: number) =>
  may(Kinds.bytes(fallback === undefined ? { description } : { description, default: fallback }))

const { defaultLimits, defaultTimeouts } = GatewayOptions

const wait = (description: string, fallback?: Duration.Input) =>
  may(time(fallback === undefined ? { description } : { description, default: Kinds.shortened(fallback) }))

/** A name or an address of IPv4; or one of IPv6, which has two colons at least. */
const HOST = /^(?:[A-Za-z0-9._-]{1,253}|[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]*(?:%[A-Za-z0-9._-]+)?)$/u

const server = group(
  {
    host: may(
      formed(HOST, "must be an IP address or a host name, without a port", {
        description: "Address to listen on; 0.0.0.0 is all of this machine's, and :: those of IPv6 too.",
        default: "127.0.0.1"
      })
    ),
    port: may(
      whole(0, 65_535, {
        description: "Port to listen on; 0 is any free one. Left out, it is 8645, or any free one if that is busy."
      })
    ),
    trustedProxies: may(
      listOf(
        formed(/^[0-9a-f:.]+(?:\/\d{1,3})?$/iu, "must be an IP address, or a network such as 10.0.0.0/8", {
          description: "An IP address, or a network such as 10.0.0.0/8."
        }),
        { description: "Whose X-Forwarded-For is believed: the proxies in front of the service.", default: [] }
      )
    ),
    accessLog: may(flag({ description: "Log each HTTP request, without keys.", default: false })),
    limits: may(
      group(
        {
          bodyBytes: size("Of an HTTP body or a WebSocket message.", defaultLimits.bodyBytes),
          batch: count("Calls in a batch.", defaultLimits.batch),
          depth: count("Arrays and objects inside each other in a body.", defaultLimits.depth),
          values: count("Values of one call: members of objects and elements of arrays.", defaultLimits.values),
          batchConcurrency: count("Calls of one batch at a node at a time.", defaultLimits.batchConcurrency),
          answerBytes: size("Of the results of one request together.", defaultLimits.answerBytes),
          requests: count("HTTP requests being answered at a time.", defaultLimits.requests),
          bufferedBytes: size("Of bodies and WebSocket messages in memory at a time.", defaultLimits.bufferedBytes),
          connections: count("TCP connections.", defaultLimits.connections),
          sockets: count("WebSockets.", defaultLimits.sockets),
          socketsPerProject: count("WebSockets of one project.", defaultLimits.socketsPerProject),
          socketInFlight: count("Messages of one WebSocket being answered at a time.", defaultLimits.socketInFlight),
          socketSubscriptions: count("Subscriptions of one WebSocket.", defaultLimits.socketSubscriptions),
          socketBufferedBytes: size("Waiting for one WebSocket to read them.", defaultLimits.socketBufferedBytes)
        },
        "Bounds of size and number, of one caller and of all together."
      )
    ),
    timeouts: may(
      group(
        {
          headers: wait("From the first byte of a request to the end of its headers.", defaultTimeouts.headers),
          request: wait("From the first byte of a request to the last of its body.", defaultTimeouts.request),
          answer: wait("Calls of a batch that were not begun by then are refused.", defaultTimeouts.answer),
          write: wait("Without progress while the caller reads an answer.", defaultTimeouts.write),
          idle: wait("Idle connections are closed after this.", defaultTimeouts.idle),
          heartbeat: wait("WebSockets are pinged so often.", defaultTimeouts.heartbeat),
          grace: may(
            time({
              description:
                "At the end of the service: /ready says 503 for so long, and everything is still answered. In a terminal 0s, unless said here.",
              default: "5s"
            })
          ),
          drain: wait("Behind grace, for requests in flight.", defaultTimeouts.drain)
        },
        "Bounds of time."
      )
    )
  },
  "Where the service listens, and within which bounds."
)

/** A setting that a node has by its name, or not at all: exactly one of them. */
const exactlyOne = (...names: ReadonlyArray<string>) => ({ oneOf: names.map((name) => ({ required: [name] })) })

const upstream = group(
  {
    url: may(
      url(["http", "https", "ws", "wss"], {
        description: "The node. May hold a key: it is shown nowhere, except for its host."
      })
    ),
    embedded: may(
      word(["live", "history", "starknet-pool"], { description: "A node of this process, in place of a URL." })
    ),
    name: may(
      formed(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u, "must be a name of letters, digits, dots and hyphens", {
        description: "Its name in health and logs, where a network has several. Default: its network and its number."
      })
    ),
    headers: may(
      entries(text({ description: "A value; shown nowhere." }), { description: "Headers of every request, by name." })
    ),
    timeout: wait("From a call to the last byte of its answer.", "30 seconds"),
    weight: may(whole(1, 1000, { description: "Its share of the calls, where balance is weight.", default: 1 }))
  },
  "A node that answers for a network: by its url, or embedded."
).annotate(exactlyOne("url", "embedded"))

const network = group(
  {
    hosts: may(
      listOf(
        formed(/^[a-z0-9_.-]{1,253}$/iu, "must be a host name, without a port", {
          description: "A host name, without a port."
        }),
        { description: "Host names that lead to the network. Default: its name before .localhost." }
      )
    ),
    chainId: may(
      Schema.Union([
        Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
        Schema.String.check(Schema.isPattern(/^[A-Z0-9_]{1,31}$/u))
      ]).annotate({
        description:
          "The chain's own id: a number, or on a second chain a text such as SN_MAIN. An embedded node has its own.",
        message: "must be a whole number, or a text such as SN_MAIN"
      })
    ),
    kind: may(
      word(["eth", "starknet"], {
        description: "Which methods it has. Default: those of its embedded node, else eth."
      })
    ),
    upstreams: listOf(upstream, { description: "Its nodes; at least one." }).check(Schema.isMinLength(1)).annotate({
      message: "must be a list of at least one node"
    }),
    balance: may(
      word(["order", "weight"], {
        description: "order: the first node that is well has all calls. weight: those that are well share them.",
        default: "order"
      })
    ),
    timeout: wait("From a call to the last byte of its answer, all tries together.", "20 seconds"),
    tryTimeout: wait("For one node, as long as there is another one to ask.", "10 seconds"),
    maxLag: may(
      whole(1, 1_000_000, {
        description: "A node that is more blocks than this behind the best one is used last. Left out, nobody looks."
      })
    )
  },
  "A network: its hosts, and the nodes that answer for it."
)

const quota = {
  stored: size("What a project may have pinned at a time. Left out: no bound."),
  uploaded: size("What a project may send in a day by UTC. Left out: no bound."),
  downloaded: size("What a project may read in a day by UTC. Left out: no bound.")
}

const ipfs = group(
  {
    node: may(
      formed(/^(?:embedded|none|https?:\/\/[^\s]+)$/u, "must be embedded, none, or a URL with http:// or https://", {
        description: "embedded, none, or the URL of a node such as Kubo's, which may hold a key and is shown nowhere.",
        default: "embedded"
      })
    ),
    allowedOrigins: may(
      listOf(
        formed(/^(?:\*|[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+)$/u, "must be an origin such as https://app.example, or *", {
          description: "An origin such as https://app.example, in lower case; * is any."
        }),
        { description: "Origins of pages that may call, beside those of this machine.", default: [] }
      )
    ),
    disallowed: may(
      listOf(text({ description: "A command, such as pin/rm." }), {
        description: "Commands that are answered with 403.",
        default: []
      })
    ),
    limits: may(
      group(
        {
          parts: count("Parts of an upload.", IpfsOptions.defaultLimits.parts),
          blockBytes: size("Of what must be in memory as a whole: a block.", IpfsOptions.defaultLimits.blockBytes),
          listed: count("Entries of an answer that is not a stream.", IpfsOptions.defaultLimits.listed)
        },
        "Bounds of one request."
      )
    ),
    uploadIdle: wait("How long a client may be silent in the middle of an upload.", "30 seconds"),
    quotas: may(group(quota, "Quotas of new projects, in bytes. What is left out is not bounded.")),
    rates: may(
      group(
        {
          writes: may(
            Schema.NullOr(whole(1, COUNT, { description: "add, block/put, dag/put and pin/add." })).annotate({
              description: "add, block/put, dag/put and pin/add in a second; null is no limit.",
              default: Limits.defaults.ipfsWritesPerSecond,
              message: `must be a whole number from 1 to ${COUNT}, or null`
            })
          ),
          reads: may(
            Schema.NullOr(whole(1, COUNT, { description: "Other commands." })).annotate({
              description: "Other commands in a second; null is no limit.",
              default: Limits.defaults.ipfsReadsPerSecond,
              message: `must be a whole number from 1 to ${COUNT}, or null`
            })
          )
        },
        "IPFS commands of new projects."
      )
    ),
    collectEvery: wait("How often the embedded node lets go of what nobody has pinned. Left out: never.")
  },
  "The IPFS half of the service."
)

const state = group(
  {
    folder: may(
      text({
        description:
          "Where the service lives, unless --data says so; relative to this file. Default: $PLUMBLINE_DATA, else the user's data folder."
      })
    ),
    postgres: may(
      url(["postgres", "postgresql"], {
        description: "A Postgres database, for several processes, in place of the SQLite file in the folder."
      })
    ),
    connections: may(whole(1, 1000, { description: "Connections to Postgres of one process.", default: 10 })),
    redis: may(url(["redis", "rediss"], { description: "Redis, where several processes count limits together." }))
  },
  "Where accounts, keys, usage and pins are kept."
)

const MAX_CREDITS = 1_000_000_000_000

const limits = group(
  {
    project: may(
      group(
        {
          creditsPerSecond: may(
            Schema.NullOr(whole(1, MAX_CREDITS, { description: "What flows into its bucket." })).annotate({
              description: "What flows into its bucket; null is no limit.",
              default: Limits.defaults.creditsPerSecond,
              message: `must be a whole number from 1 to ${MAX_CREDITS}, or null`
            })
          ),
          burst: may(
            Schema.NullOr(whole(1, MAX_CREDITS, { description: "What the bucket holds." })).annotate({
              description: "What its bucket holds; null is the credits of a second.",
              default: Limits.defaults.burst,
              message: `must be a whole number from 1 to ${MAX_CREDITS}, or null`
            })
          ),
          creditsPerDay: may(
            Schema.NullOr(whole(0, MAX_CREDITS, { description: "The credits of a day by UTC." })).annotate({
              description: "The credits of a day by UTC; null is no limit.",
              default: Limits.defaults.creditsPerDay,
              message: `must be a whole number from 0 to ${MAX_CREDITS}, or null`
            })
          ),
          concurrency: may(
            Schema.NullOr(whole(1, MAX_CREDITS, { description: "Calls at a time." })).annotate({
              description: "Calls at a time; null is no limit.",
              default: Limits.defaults.concurrency,
              message: `must be a whole number from 1 to ${MAX_CREDITS}, or null`
            })
          )
        },
        "Of a new project, where whoever makes it says nothing else. Those that are there keep theirs."
      )
    ),
    address: may(
      group(
        {
          requestsPerSecond: whole(1, MAX_CREDITS, { description: "Requests of one address in a second." }),
          burst: may(whole(1, MAX_CREDITS, { description: "Requests of one address at once." }))
        },
        "Of one address, before it is known who calls. Left out: not limited."
      )
    ),
    whenDown: may(
      word(["closed", "open"], {
        description: "While limits cannot be counted: closed refuses calls, open lets them through uncounted.",
        default: "closed"
      })
    ),
    timeout: wait("How long counting may take.", "250 millis")
  },
  "Limits of projects and addresses, in credits."
)

const metering = group(
  {
    gather: wait("How long a batch waits at most for as many calls as the one before had.", "2 millis"),
    attempt: wait("How long one try to write may take.", "2 seconds"),
    patience: wait("How long writing is tried before the store is said to be down.", "5 seconds"),
    whenDown: may(
      word(["refuse", "buffer"], {
        description:
          "While usage cannot be written: refuse calls, or buffer it in memory, which is lost with the process.",
        default: "refuse"
      })
    ),
    limits: may(
      group(
        {
          rows: count("Rows of one batch.", 10_000),
          waiting: count("Calls that wait to be written.", 100_000)
        },
        "Bounds of what is in memory."
      )
    ),
    retention: may(
      group(
        {
          minutes: wait("How long usage is kept by the minute.", "8 days"),
          hours: wait("How long usage is kept by the hour.", "100 days"),
          days: wait("How long usage is kept by the day. Left out: for ever.")
        },
        "How long usage is kept."
      )
    )
  },
  "How usage is written down."
)

const policies = group(
  {
    card: may(
      group(
        {
          rpc: may(flag({ description: "Whether JSON-RPC asks for a billing card.", default: false })),
          ipfs: may(flag({ description: "Whether IPFS asks for a billing card.", default: true }))
        },
        "Which product an account without a billing card may not use."
      )
    )
  },
  "Who may use what at all."
)

const credits = (description: string, fallback?: number) =>
  whole(0, COUNT, fallback === undefined ? { description } : { description, default: fallback })

const costs = group(
  {
    methods: may(entries(credits("Credits of a call."), { description: "By method, on every network." })),
    networks: may(
      entries(entries(credits("Credits of a call."), { description: "By method." }), {
        description: "By network, then by method."
      })
    ),
    events: may(
      entries(
        group(
          {
            credits: credits("Credits for each."),
            per: Schema.Union([
              Schema.Literals(["event", "block"]),
              Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 86_400_000 }))
            ]).annotate({
              description: "For each event, each block that has any, or each span of so many milliseconds.",
              message: "must be event, block, or a number of milliseconds"
            })
          },
          "What events of a subscription cost."
        ),
        { description: "By kind of subscription." }
      )
    ),
    fallback: may(credits("Of a method that stands nowhere.", 80)),
    batch: may(credits("Of a batch, beside its calls.", 1)),
    refused: may(credits("Of a call that was refused with a 4xx other than 402 and 429.", 5))
  },
  "Changes of the table of credits; each entry replaces that of the same name."
)

const billing = group(
  {
    provider: may(word(["stripe"], { description: "Whose events are understood.", default: "stripe" })),
    webhookSecret: may(
      text({ description: "What the provider signs events with. Without it, there is no webhook. Shown nowhere." })
    )
  },
  "Billing cards, from the events of a provider at POST /billing/events."
)

const admin = group(
  {
    token: may(
      formed(/^[0-9a-fA-F]{32,256}$/u, "must be 32 to 256 hex digits, as openssl rand -hex 32 makes them", {
        description: "The token of the admin API; shown nowhere. Default: one is made on the first start, and kept."
      })
    ),
    tokenFile: may(text({ description: "A file that holds the token alone; relative to this file." })),
    allowedOrigins: may(
      listOf(
        formed(/^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+$/u, "must be an origin such as https://console.example", {
          description: "An origin such as https://console.example, in lower case."
        }),
        { description: "Origins of pages that may call the admin API.", default: [] }
      )
    )
  },
  "The admin API."
).annotate({ not: { required: ["token", "tokenFile"] } })

const wording = group(
  {
    see: may(
      url(["http", "https"], { description: "The page that refusals over a limit lead to. Default: EIP-1474." })
    ),
    dayStatus: may(
      Schema.Literals([429, 402]).annotate({
        description: "The status when the credits of a day are gone.",
        default: 429,
        message: "must be 429 or 402"
      })
    )
  },
  "How refusals over a limit are worded."
)

/** The file. */
export const ConfigFile = group(
  {
    $schema: may(text({ description: "For editors: where the JSON Schema of this file is." })),
    server: may(server),
    networks: may(
      entries(network, {
        description:
          "The networks, by name; a name begins with a letter. Left out: the embedded live, history and starknet-pool."
      }).annotate({ propertyNames: { pattern: "^[A-Za-z][A-Za-z0-9-]{0,62}$" }, minProperties: 1 })
    ),
    defaultNetwork: may(text({ description: "The network of hosts that lead to none. Default: the first." })),
    ipfs: may(ipfs),
    state: may(state),
    limits: may(limits),
    metering: may(metering),
    policies: may(policies),
    costs: may(costs),
    billing: may(billing),
    admin: may(admin),
    wording: may(wording)
  },
  "The configuration of a Plumbline service."
)

/** See the Schema of the same name. */
export type ConfigFile = typeof ConfigFile.Type
