/** The interface of the accounts store. It stands below the queries that implement it; `Accounts` exports it. */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"

import type { SettingError } from "../errors/SettingError.ts"
import type { StateError } from "../state/StateError.ts"
import type * as Account from "./Account.ts"
import type { AccountsError } from "./AccountsError.ts"
import type * as ApiKey from "./ApiKey.ts"

/**
 * A new key, and what is shown of it this one time.
 *
 * @since 0.1.0
 */
export interface Issued {
  readonly key: Account.Key
  readonly apiKey: Redacted.Redacted
  readonly apiKeySecret: Redacted.Redacted
}

/**
 * A project that was there before the store: its id, and the digests of its key and its secret.
 *
 * @since 0.1.0
 */
export interface Adopted extends ApiKey.Digests, Partial<Omit<Account.Settings, "name">> {
  readonly id: string
  readonly name: string
}

/**
 * What is asked for in pages: those after the given id, in the order of ids.
 *
 * @since 0.1.0
 */
export interface Page {
  readonly after?: string | undefined
}

/**
 * Reads and changes accounts, projects and keys.
 *
 * @since 0.1.0
 */
export interface Service {
  /**
   * Who holds a key: one query, or none if it was asked for before. Never older than a second, whichever process has
   * made the change. A key that was revoked, or whose time is over, is nobody's. A suspended project is found: that it
   * is suspended is for the caller to say.
   *
   * What is remembered is an `Exit`, found when this is called and not when its effect is run: call it for each request.
   */
  readonly lookup: (apiKey: string) => Effect.Effect<Account.Holder | undefined, StateError>

  readonly createAccount: (account: {
    readonly name: string
    readonly card?: boolean | undefined
  }) => Effect.Effect<Account.Account, SettingError | StateError>
  readonly account: (id: string) => Effect.Effect<Account.Account | undefined, StateError>
  /** At most `PAGE` of them. */
  readonly accounts: (page?: Page) => Effect.Effect<ReadonlyArray<Account.Account>, StateError>
  /** `card` is what an operator says; a card that the payment provider keeps counts beside it (`BillingCards`). */
  readonly updateAccount: (
    id: string,
    changes: Partial<Omit<Account.Account, "id">>
  ) => Effect.Effect<Account.Account, AccountsError | SettingError | StateError>
  /** Only an account without projects can go. */
  readonly removeAccount: (id: string) => Effect.Effect<void, AccountsError | StateError>

  /** A project and its first key. What is not given is off, empty, or `Limits.defaults`. */
  readonly createProject: (
    project: { readonly account: string; readonly name: string } & Partial<Omit<Account.Settings, "name">>
  ) => Effect.Effect<
    { readonly project: Account.Project; readonly issued: Issued },
    AccountsError | SettingError | StateError
  >
  readonly project: (id: string) => Effect.Effect<Account.Project | undefined, StateError>
  /** At most `PAGE` of them. */
  readonly projects: (
    page?: Page & { readonly account?: string | undefined }
  ) => Effect.Effect<ReadonlyArray<Account.Project>, StateError>
  readonly updateProject: (
    id: string,
    changes: Partial<Account.Settings>
  ) => Effect.Effect<Account.Project, AccountsError | SettingError | StateError>
  /** With its keys. What it has used stays metered under its id. */
  readonly removeProject: (id: string) => Effect.Effect<void, AccountsError | StateError>
  /** Those of the ids, at most some thousands, that no project has. */
  readonly removedOf: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, StateError>

  /** The keys of a project that have not ended, oldest first. None for a project that is not there. */
  readonly keys: (project: string) => Effect.Effect<ReadonlyArray<Account.Key>, StateError>
  /** One more key for a project. */
  readonly issueKey: (project: string) => Effect.Effect<Issued, AccountsError | StateError>
  /**
   * A new key for the project of a key, which itself ends after `overlap`: at most a year, and at once if it is nothing.
   * A key is rotated once.
   */
  readonly rotateKey: (
    id: string,
    options: { readonly overlap: Duration.Input }
  ) => Effect.Effect<Issued, AccountsError | SettingError | StateError>
  /** From now on nobody has the key. */
  readonly revokeKey: (id: string) => Effect.Effect<void, AccountsError | StateError>

  /** A project with an id and a key that were made elsewhere. What is not given is as for a new project. */
  readonly adopt: (
    account: string,
    project: Adopted
  ) => Effect.Effect<Account.Project, AccountsError | SettingError | StateError>
}
