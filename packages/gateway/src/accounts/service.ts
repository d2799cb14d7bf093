/** The interface of the accounts store. The queries that implement it import this file; `Accounts` exports it. */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"

import type { SettingError } from "../errors/SettingError.ts"
import type { StateError } from "../state/StateError.ts"
import type * as Account from "./Account.ts"
import type { AccountsError } from "./AccountsError.ts"
import type * as ApiKey from "./ApiKey.ts"
import type * as TokenRules from "./TokenRules.ts"

/**
 * A new key, with the values that are shown this one time.
 */
export interface Issued {
  readonly key: Account.Key
  readonly apiKey: Redacted.Redacted
  readonly apiKeySecret: Redacted.Redacted
}

/**
 * A project that is older than the store: its id, and the digests of its key and its secret.
 */
export interface Adopted extends ApiKey.Digests, Partial<Omit<Account.Settings, "name">> {
  readonly id: string
  readonly name: string
}

/**
 * A page of a list: the rows after the given id, in the order of ids.
 */
export interface Page {
  readonly after?: string | undefined
}

/**
 * Reads and changes accounts, projects and keys.
 */
export interface Service {
  /**
   * Returns the holder of a key: one query, or none if the key was looked up before. The holder is never older than a
   * second, whichever process made the change. A revoked or ended key has no holder. A suspended project is found; the
   * caller must check for suspension.
   *
   * Call it again for each request: a remembered holder is looked up by the call itself, not when the effect runs.
   */
  readonly lookup: (apiKey: string) => Effect.Effect<Account.Holder | undefined, StateError>

  readonly createAccount: (account: {
    readonly name: string
    readonly card?: boolean | undefined
  }) => Effect.Effect<Account.Account, SettingError | StateError>
  readonly account: (id: string) => Effect.Effect<Account.Account | undefined, StateError>
  /** Returns at most `PAGE` accounts. */
  readonly accounts: (page?: Page) => Effect.Effect<ReadonlyArray<Account.Account>, StateError>
  /** `card` is the operator's statement. A card that the payment provider keeps counts as well (`BillingCards`). */
  readonly updateAccount: (
    id: string,
    changes: Partial<Omit<Account.Account, "id">>
  ) => Effect.Effect<Account.Account, AccountsError | SettingError | StateError>
  /** Removes an account. It must have no projects. */
  readonly removeAccount: (id: string) => Effect.Effect<void, AccountsError | StateError>

  /** Creates a project and its first key. Settings that are not given are off, empty, or `Limits.defaults`. */
  readonly createProject: (
    project: { readonly account: string; readonly name: string } & Partial<Omit<Account.Settings, "name">>
  ) => Effect.Effect<
    { readonly project: Account.Project; readonly issued: Issued },
    AccountsError | SettingError | StateError
  >
  readonly project: (id: string) => Effect.Effect<Account.Project | undefined, StateError>
  /** Returns at most `PAGE` projects. */
  readonly projects: (
    page?: Page & { readonly account?: string | undefined }
  ) => Effect.Effect<ReadonlyArray<Account.Project>, StateError>
  readonly updateProject: (
    id: string,
    changes: Partial<Account.Settings>
  ) => Effect.Effect<Account.Project, AccountsError | SettingError | StateError>
  /** Removes a project and its keys. Its usage stays metered under its id. */
  readonly removeProject: (id: string) => Effect.Effect<void, AccountsError | StateError>
  /** Returns the ids, of at most some thousands, that no project has. */
  readonly removedOf: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, StateError>

  /** Returns the keys of a project that have not ended, oldest first. Empty for an unknown project. */
  readonly keys: (project: string) => Effect.Effect<ReadonlyArray<Account.Key>, StateError>
  /** Returns a key that has not ended. */
  readonly key: (id: string) => Effect.Effect<Account.Key | undefined, StateError>
  /** Creates one more key for a project. Settings that are not given are absent. */
  readonly issueKey: (
    project: string,
    settings?: Partial<Account.KeySettings>
  ) => Effect.Effect<Issued, AccountsError | SettingError | StateError>
  /** Changes the settings of a key that has not ended. Given limits replace the previous ones as a whole. */
  readonly updateKey: (
    id: string,
    changes: Partial<Account.KeySettings>
  ) => Effect.Effect<Account.Key, AccountsError | SettingError | StateError>
  /**
   * Creates a new key for the project of a key. The old key ends after `overlap`: at most a year, and at once if it is
   * zero. A key is rotated once. The new key has the settings of the old one, except those in `options`.
   */
  readonly rotateKey: (
    id: string,
    options: { readonly overlap: Duration.Input } & Partial<Account.KeySettings>
  ) => Effect.Effect<Issued, AccountsError | SettingError | StateError>
  /** Revokes a key. It has no holder from now on. */
  readonly revokeKey: (id: string) => Effect.Effect<void, AccountsError | StateError>

  /** Returns the rules for tokens of a project's users; undefined if it has none. */
  readonly tokens: (project: string) => Effect.Effect<TokenRules.TokenRules | undefined, StateError>
  /** Sets the rules for tokens of a project's users, in place of those before. */
  readonly setTokens: (
    project: string,
    rules: TokenRules.Given
  ) => Effect.Effect<TokenRules.TokenRules, AccountsError | SettingError | StateError>
  /** Removes the rules: no token is valid from now on, and none is required. */
  readonly removeTokens: (project: string) => Effect.Effect<void, AccountsError | StateError>

  /** Adds a project whose id and key were made elsewhere. Settings that are not given are as for a new project. */
  readonly adopt: (
    account: string,
    project: Adopted
  ) => Effect.Effect<Account.Project, AccountsError | SettingError | StateError>
}
