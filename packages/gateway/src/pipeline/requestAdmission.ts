/**
 * Step 3 of the pipeline: admits or refuses a caller from the request head alone, before the body is read. Runs once
 * per HTTP request or WebSocket.
 */
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

import type { KeyHolder, ProjectUser } from "../accounts/Account.ts"
import type { Accounts } from "../accounts/Accounts.ts"
import * as Allowlist from "../accounts/Allowlist.ts"
import type { Product } from "../accounts/Product.ts"
import type { RequestCaller } from "../http/callDoor.ts"
import * as Exits from "../http/exits.ts"
import * as HttpRefusal from "../http/HttpRefusal.ts"
import type { Network } from "../networks/Network.ts"
import type { Policy } from "./AccessPolicy.ts"
import * as Authentication from "./Authentication.ts"
import * as JwtVerifier from "./jwtVerifier.ts"
import * as ProductTerms from "./productTerms.ts"
import type { RuntimeConfig, CurrentConfig } from "./runtimeConfig.ts"

/** The known project of a request, with the data to meter the request. */
export interface KnownProject {
  readonly holder: KeyHolder
  readonly product: Product
  /** For JSON-RPC, the name of the network; for any other protocol, the name of the protocol. */
  readonly place: string
  readonly config: RuntimeConfig
  /** The terms for limiting and charging refusals. */
  readonly terms: ProductTerms.ProductTerms
  /** The metered name of the call, if the head of the request names one. */
  readonly method?: string | undefined
}

/** A caller that passed admission. */
export interface AdmittedCaller extends KnownProject {
  readonly rules: Allowlist.CompiledAllowlist
}

/** An admitted caller of JSON-RPC. */
export interface CallerSession extends AdmittedCaller {
  readonly network: Network
  readonly caller: RequestCaller
}

/** A refused caller, with its project if the project is known. */
export interface RefusedCaller {
  readonly refusal: HttpRefusal.HttpRefusal
  readonly known: KnownProject | undefined
}

export interface RequestAdmission {
  readonly enter: (caller: RequestCaller) => Effect.Effect<CallerSession, RefusedCaller>
  /**
   * Admits or refuses a caller of a protocol other than JSON-RPC. The key is in the path, or key and secret are in the
   * Authorization header. `place` is the protocol's name in allowlists and usage; JSON-RPC has the name of a network
   * there.
   */
  readonly enterBasic: (
    caller: RequestCaller,
    place: string,
    terms: ProductTerms.ProductTerms,
    method?: string
  ) => Effect.Effect<AdmittedCaller, RefusedCaller>
  /** Admits or refuses a caller without credentials. The operator chose the holder for such callers. */
  readonly enterAs: (
    holder: KeyHolder,
    caller: RequestCaller,
    place: string,
    terms: ProductTerms.ProductTerms
  ) => Effect.Effect<AdmittedCaller, RefusedCaller>
  /**
   * True if a further request of a session's caller is certainly admitted with the same session. False means nothing:
   * then `enter` decides. It takes and changes nothing.
   */
  readonly holds: (session: CallerSession) => boolean
  /** Admits or refuses the caller of a session again. If nothing has changed, this costs only a look-up. */
  readonly renew: (session: CallerSession) => Effect.Effect<CallerSession, RefusedCaller>
}

export const make = (options: {
  readonly accounts: Accounts["Service"]
  readonly policy: Policy
  readonly live: CurrentConfig
}): RequestAdmission => {
  const { accounts, live, policy } = options
  const tokens = JwtVerifier.make()

  const admit = <K extends KnownProject>(
    known: K,
    caller: RequestCaller
  ): Effect.Effect<K & AdmittedCaller, RefusedCaller> => {
    const { holder, place, product, terms } = known
    const refused = (refusal: HttpRefusal.HttpRefusal): RefusedCaller => ({ refusal, known })
    if (holder.project.suspended) return Exit.fail(refused(HttpRefusal.suspended))
    const rules = rulesFor(holder)
    if (!rules.caller(caller.origin, caller.userAgent)) return Exit.fail(refused(HttpRefusal.notAllowed))
    return Exits.flatMap(Exits.mapError(policy.check(holder, product), refused), () =>
      rules.network(place) ? Exit.succeed({ ...known, rules }) : Exit.fail(refused(terms.notListed))
    )
  }

  const enter = (caller: RequestCaller): Effect.Effect<CallerSession, RefusedCaller> => {
    const { authorization, key = "", network: name } = caller
    // An unknown network is refused: an answer of another chain would be wrong.
    if (name !== undefined && !live.current.byName.has(name)) return Exit.fail(stranger(HttpRefusal.notFound))
    const found = Authentication.authenticate(accounts, { key, authorization }, tokens)
    return Exits.flatMap(Exits.mapError(found, stranger), (holder) => {
      const config = live.current
      // A reload may have removed the network while the key was looked up.
      const network = name === undefined ? config.route(caller.host) : config.byName.get(name)
      if (network === undefined) return Exit.fail(stranger(HttpRefusal.notFound))
      const terms = ProductTerms.calls
      const { product } = terms
      return admit({ holder, product, place: network.name, network, config, terms, caller }, caller)
    })
  }

  /** True if the holder of a session's key and the configuration are still the same. */
  const isSame = ({ caller, config, holder }: CallerSession): boolean => {
    if (config !== live.current) return false
    if (accounts.lookup.isCurrent?.(holder) === true) return true
    const found = Exits.exitOf(accounts.lookup(caller.key ?? ""))
    // The store returns the same holder object until something about the holder changes.
    return found?._tag === "Success" && found.value === holder
  }

  return {
    enter,
    enterAs: (holder, caller, place, terms) =>
      admit({ holder, product: terms.product, place, config: live.current, terms }, caller),
    enterBasic: (caller, place, terms, method) => {
      const { authorization, key } = caller
      const found =
        key === undefined
          ? Authentication.authenticateBasic(accounts, authorization)
          : Authentication.authenticate(accounts, { key, authorization }, tokens)
      return Exits.flatMap(Exits.mapError(found, stranger), (holder) =>
        admit({ holder, product: terms.product, place, config: live.current, terms, method }, caller)
      )
    },
    holds: (session) =>
      isSame(session) && Exits.exitOf(policy.check(session.holder, session.product))?._tag === "Success",
    renew: (session) => (isSame(session) ? Exit.succeed(session) : enter(session.caller))
  }
}

const stranger = (refusal: HttpRefusal.HttpRefusal): RefusedCaller => ({ refusal, known: undefined })

/** Returns the rules of a project, narrowed by the token of its user. The result is cached for each user. */
const rulesFor = ({ project, user }: KeyHolder): Allowlist.CompiledAllowlist => {
  const rules = rulesOf(project.allowlist)
  if (user?.rules === undefined) return rules
  const known = narrowed.get(user)
  if (known?.of === rules) return known.rules
  const made = { of: rules, rules: Allowlist.both(rules, user.rules) }
  narrowed.set(user, made)
  return made.rules
}

const narrowed = new WeakMap<
  ProjectUser,
  { readonly of: Allowlist.CompiledAllowlist; readonly rules: Allowlist.CompiledAllowlist }
>()

/** The compiled allowlists, keyed by allowlist. An entry lives as long as the store caches the project. */
const compiled = new WeakMap<Allowlist.Allowlist, Allowlist.CompiledAllowlist>()

const rulesOf = (allowlist: Allowlist.Allowlist): Allowlist.CompiledAllowlist => {
  let rules = compiled.get(allowlist)
  if (rules === undefined) {
    rules = Allowlist.compile(allowlist)
    compiled.set(allowlist, rules)
  }
  return rules
}
