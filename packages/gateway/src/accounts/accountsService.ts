/** The interface of the accounts store. The queries that implement it import this file; `Accounts` exports it. */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"

import type { SettingError } from "../errors/SettingError.ts"
import type { KeyLimits } from "../limits/KeyLimits.ts"
import type { StateError } from "../state/StateError.ts"
import type * as Account from "./Account.ts"
import type { AccountsError } from "./AccountsError.ts"
import type * as ApiKey from "./ApiKey.ts"
import type * as TokenRules from "./TokenRules.ts"

/**
 * A new key, with the API key and the secret. They are shown only once.
 */
export interface IssuedKey {
  readonly key: Account.Key
  readonly apiKey: Redacted.Redacted
  readonly apiKeySecret: Redacted.Redacted
}

/**
 * A project that was created elsewhere: its id, and the digests of its key and its secret.
 */
export interface AdoptedProject extends ApiKey.ApiKeyDigests, Partial<Omit<Account.ProjectSettings, "name">> {
  readonly id: string
  readonly name: string
}

/**
 * A page of a list: the rows whose ids come after the given id, sorted by id.
 */
export interface AccountsPage {
  readonly after?: string | undefined
}

/**
 * Looks up the holder of a key.
 */
export interface AccountsLookup {
  (apiKey: string): Effect.Effect<Account.KeyHolder | undefined, StateError>
  /**
   * True if the function would return this very holder at once for its key. False means nothing: there may be another
   * holder, or the database has to be asked. Absent: the function is always called. It belongs to this function, so a
   * service with another `lookup` does not keep it.
   */
  readonly isCurrent?: ((holder: Account.KeyHolder) => boolean) | undefined
}

/**
 * Reads and changes accounts, projects and keys.
 */
export interface AccountsService {
  /**
   * Returns the holder of a key, from the database or from a cache. The holder is at most one second old, even if
   * another process changed it. A revoked or ended key has no holder. The key of a suspended project has a holder; the
   * caller of this function must check for suspension.
   *
   * Call this function again for each request: the call itself reads the cache, before the effect runs.
   */
  readonly lookup: AccountsLookup
  /** Returns the state of the database. It is `down` after 2 seconds without an answer, also between calls. */
  readonly state: () => "up" | "down"

  readonly createAccount: (account: {
    readonly name: string
    readonly card?: boolean | undefined
    readonly limits?: KeyLimits | undefined
  }) => Effect.Effect<Account.Account, SettingError | StateError>
  readonly account: (id: string) => Effect.Effect<Account.Account | undefined, StateError>
  /** Returns at most `PAGE` accounts. */
  readonly accounts: (page?: AccountsPage) => Effect.Effect<ReadonlyArray<Account.Account>, StateError>
  /**
   * Changes an account. The operator states in `card` that the account has a card. A card at the payment provider
   * counts too (`BillingCards`). New limits replace all previous limits of the account.
   */
  readonly updateAccount: (
    id: string,
    changes: Partial<Omit<Account.Account, "id">>
  ) => Effect.Effect<Account.Account, AccountsError | SettingError | StateError>
  /** Removes an account. It must have no projects. */
  readonly removeAccount: (id: string) => Effect.Effect<void, AccountsError | StateError>

  /**
   * Creates a project and its first key. By default settings are off or empty, and the limits are `ProjectLimits.defaults`.
   */
  readonly createProject: (
    project: { readonly account: string; readonly name: string } & Partial<Omit<Account.ProjectSettings, "name">>
  ) => Effect.Effect<
    { readonly project: Account.Project; readonly issued: IssuedKey },
    AccountsError | SettingError | StateError
  >
  readonly project: (id: string) => Effect.Effect<Account.Project | undefined, StateError>
  /** Returns at most `PAGE` projects. */
  readonly projects: (
    page?: AccountsPage & { readonly account?: string | undefined }
  ) => Effect.Effect<ReadonlyArray<Account.Project>, StateError>
  readonly updateProject: (
    id: string,
    changes: Partial<Account.ProjectSettings>
  ) => Effect.Effect<Account.Project, AccountsError | SettingError | StateError>
  /** Removes a project and its keys. The usage stays recorded under the project's id. */
  readonly removeProject: (id: string) => Effect.Effect<void, AccountsError | StateError>
  /** Returns the given ids that belong to no project. Pass at most a few thousand ids. */
  readonly removedOf: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, StateError>

  /** Returns the keys of a project that have not ended, oldest first. An unknown project has no keys. */
  readonly keys: (project: string) => Effect.Effect<ReadonlyArray<Account.Key>, StateError>
  /** Returns a key that has not ended. */
  readonly key: (id: string) => Effect.Effect<Account.Key | undefined, StateError>
  /** Creates one more key for a project. By default it has no label, no expiry and no limits. */
  readonly issueKey: (
    project: string,
    settings?: Partial<Account.KeySettings>
  ) => Effect.Effect<IssuedKey, AccountsError | SettingError | StateError>
  /** Changes the settings of a key that has not ended. New limits replace all previous limits of the key. */
  readonly updateKey: (
    id: string,
    changes: Partial<Account.KeySettings>
  ) => Effect.Effect<Account.Key, AccountsError | SettingError | StateError>
  /**
   * Creates a new key to replace an old one. The old key ends after `overlap`, which is at most 365 days; with an
   * overlap of zero it ends at once. A key can be rotated only once. The new key has the settings of the old one,
   * except those in `options`.
   */
  readonly rotateKey: (
    id: string,
    options: { readonly overlap: Duration.Input } & Partial<Account.KeySettings>
  ) => Effect.Effect<IssuedKey, AccountsError | SettingError | StateError>
  /** Revokes a key, which then has no holder. */
  readonly revokeKey: (id: string) => Effect.Effect<void, AccountsError | StateError>

  /** Returns the rules for tokens of a project's users; undefined if the project has no such rules. */
  readonly tokens: (project: string) => Effect.Effect<TokenRules.TokenRules | undefined, StateError>
  /** Replaces the rules for tokens of a project's users. */
  readonly setTokens: (
    project: string,
    rules: TokenRules.TokenRulesInput
  ) => Effect.Effect<TokenRules.TokenRules, AccountsError | SettingError | StateError>
  /** Removes a project's rules for tokens. The project's tokens are then neither valid nor required. */
  readonly removeTokens: (project: string) => Effect.Effect<void, AccountsError | StateError>

  /** Adds a project whose id and key were created elsewhere. The defaults are those of `createProject`. */
  readonly adopt: (
    account: string,
    project: AdoptedProject
  ) => Effect.Effect<Account.Project, AccountsError | SettingError | StateError>
}
