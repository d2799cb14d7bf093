/** The status of the service in the answers of the admin API. */
import * as Schema from "effect/Schema"

import { count, later, orNull, Time, time } from "./adminFields.ts"

const upstreamState = Schema.Literals(["untried", "up", "down", "lies", "wrong"]).annotate({
  description:
    "The state after the last call; lies: a check refuted an answer, and the node is not yet trusted again; wrong: the node has another chain and gets no calls"
})

/** A node's state. A member is null if the service does not know its value. */
const node = Schema.Struct({
  name: Schema.String.annotate({
    description: "The node's name in the configuration; the network's name if the only node has none"
  }),
  state: upstreamState,
  behind: orNull(Schema.Int, "Number of blocks behind the served tip"),
  problem: orNull(Schema.String, "The reason for the states lies and wrong, such as the check that failed"),
  head: orNull(
    Schema.Struct({
      number: count("The number of the block"),
      hash: orNull(Schema.String, "Its hash"),
      time: orNull(Time, "The block's own time")
    }),
    "The latest block that it has named"
  ),
  lagMillis: orNull(Schema.Finite, "Milliseconds from the time of the latest block to the moment at which it was read"),
  responseMillis: orNull(Schema.Finite, "The node's usual time for an answer, in milliseconds"),
  lastError: orNull(
    Schema.Struct({
      kind: Schema.String.annotate({ description: "The kind, such as Unreachable or TimedOut" }),
      since: time("The first error of an unbroken series of this kind"),
      at: orNull(Time, "The last error of the series")
    }),
    "Its last error; it stays after the node has recovered"
  ),
  nextAttemptAt: orNull(Time, "The time at which a node that gets no calls is tried again"),
  aside: later(Schema.Boolean, "True if the node gets no calls until nextAttemptAt because it lied"),
  trustedSince: later(Time, "The time at which a node that lied became trusted again; null while it lies"),
  calls: orNull(Schema.Int, "Calls sent to the node, including probes, since the pool started"),
  faults: orNull(Schema.Int, "Calls that the node did not answer"),
  faultsBy: Schema.Record(Schema.String, Schema.Int).annotate({ description: "Number of these calls for each reason" }),
  refusals: orNull(Schema.Int, "Errors that mean that the node cannot answer now, such as a limit"),
  hedges: orNull(Schema.Int, "Calls sent to the node because another node was slow"),
  disagreements: orNull(Schema.Int, "Answers that differed from the answers of other nodes"),
  leftToday: orNull(Schema.Finite, "Calls left of the node's budget for today (UTC)"),
  lacks: Schema.Array(Schema.String).annotate({ description: "Methods that the node recently reported as missing" }),
  verdicts: later(
    Schema.Struct({
      verified: Schema.Int.annotate({ description: "Number of answers that are proven" }),
      claimed: Schema.Int.annotate({ description: "Number of answers that nothing proves" })
    }),
    "Its checked answers since the service started, by verdict; null if its answers are not checked"
  ),
  lies: orNull(
    Schema.Struct({
      count: Schema.Int.annotate({
        description: "Number of lies that all processes found, as in the answer of `lies`"
      }),
      ordered: later(Schema.Int, "Number of these lies that an operator ordered"),
      last: Schema.Struct({
        method: Schema.String.annotate({ description: "The method that was called" }),
        check: Schema.String.annotate({ description: "The check that failed" }),
        at: time("When")
      }).annotate({ description: "The last lie" })
    }),
    "Answers that were proven wrong, if there are any"
  )
}).annotate({ identifier: "Node" })

export type NodeStatus = typeof node.Type

/**
 * The status of the service: a `Gateway.ServiceStatus` with more details for operators. A process that serves no networks
 * reports none.
 */
export const Status = Schema.Struct({
  at: time("The service's clock"),
  networks: Schema.Array(
    Schema.Struct({
      name: Schema.String.annotate({ description: "The network's name in allowlists and usage" }),
      chainId: Schema.Union([Schema.Int, Schema.String]).annotate({ description: "A number, or a text as 0x534e..." }),
      /** The state of the network's node after its last call. */
      upstream: upstreamState,
      /** The state of each node, if there are several. */
      upstreams: Schema.Array(
        Schema.Struct({
          name: Schema.String.annotate({ description: "The node's name in the configuration" }),
          state: upstreamState,
          /**
           * Number of blocks that the node is behind the served tip; null if heights are not checked.
           */
          behind: orNull(Schema.Int, "Number of blocks behind the served tip; null if heights are not compared")
        })
      ).annotate({ description: "The nodes of the network, if there are several" }),
      hosts: Schema.Array(Schema.String).annotate({ description: "Host names that lead to the network" }),
      checked: Schema.Boolean.annotate({
        description: "True if the answers of the network's nodes are checked or proven"
      }),
      /** The latest block according to the network's nodes. It is not proven. */
      head: orNull(
        Schema.Struct({
          number: count("The number of the block"),
          hash: Schema.String.annotate({ description: "Its hash" }),
          time: time("The block's own time")
        }),
        "The latest block that a node has named; null if none has"
      ),
      /** The network's finalized block, from its source of trust. */
      anchor: later(
        Schema.Struct({
          hash: orNull(Schema.String, "Its hash"),
          number: orNull(
            count("The number of the block"),
            "The number of the block; null if no node has answered with the block"
          ),
          time: orNull(Time, "The block's own time"),
          ageMillis: orNull(Schema.Int, "Milliseconds from the block's own time to the moment at which it was read"),
          by: orNull(Schema.String, "The source of trust, such as a pinned hash or a light client"),
          finality: orNull(Schema.String, "The support of a light client's block, such as finalized"),
          problem: orNull(Schema.String, "The reason why there is no block; null if there is one")
        }),
        "The block that proofs of the network's answers end at; null if nothing is proven"
      ),
      warnings: later(
        Schema.Array(Schema.String),
        "Reasons why the network's light client proves less than it could, or soon will"
      ),
      /** Every node of the network, even if it is the only one. */
      nodes: Schema.Array(node).annotate({ description: "Every node of the network" })
    })
  ).annotate({ description: "The networks; empty in a process that serves none" }),
  /** `accounts` of a `Gateway.ServiceStatus`. */
  accounts: later(
    Schema.Struct({
      store: Schema.Literals(["up", "down"]).annotate({
        description: "The state of the store of accounts, projects and keys; while it is down, calls are refused"
      })
    }),
    "The state of projects"
  ),
  /** A `Limiter.LimiterState`. */
  limiter: Schema.Struct({
    store: Schema.Literals(["untried", "up", "down"]).annotate({ description: "The state of the store of limits" }),
    whenDown: Schema.Literals(["open", "closed"]).annotate({
      description: "open admits calls while the store is down, closed refuses them"
    })
  }).annotate({ description: "The state of limits" }),
  /** A `Metering.MeteringStatus`. */
  metering: Schema.Struct({
    store: Schema.Literals(["up", "down"]).annotate({ description: "The state of the store of usage" }),
    waiting: Schema.Int.annotate({ description: "Number of calls that are not recorded yet" }),
    rows: Schema.Int.annotate({ description: "Number of rows for these calls" })
  }).annotate({ description: "The state of metering" }),
  /** A `Gateway.UnauthorizedRequests`. */
  unauthorized: later(
    Schema.Struct({
      count: Schema.Int.annotate({ description: "Number of requests that were refused with 401" }),
      since: time("When the service started")
    }),
    "Requests without a valid key, secret or token, which belong to no project; null in a process that serves no networks"
  ),
  /** A `VerifiedCache.VerifiedCacheStats`. */
  cache: later(
    Schema.Struct({
      hits: Schema.Int.annotate({ description: "Answers from memory" }),
      stored: Schema.Int.annotate({ description: "Answers from the store" }),
      joined: Schema.Int.annotate({ description: "Calls that shared the answer of an identical call under way" }),
      asked: Schema.Int.annotate({ description: "Calls that nodes answered, and whose answers may be cached" }),
      entries: Schema.Int.annotate({ description: "Answers in memory" }),
      bytes: Schema.Int.annotate({ description: "Bytes of the answers in memory" }),
      corrupt: Schema.Int.annotate({ description: "Stored answers that were damaged and therefore not used" }),
      dropped: Schema.Int.annotate({
        description: "Answers not stored, because they were too large or too many waited"
      })
    }),
    "The cache of proven answers, since the process began; null if there is none"
  )
}).annotate({ identifier: "Status" })

export type Status = typeof Status.Type
