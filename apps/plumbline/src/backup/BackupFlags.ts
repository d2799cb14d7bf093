import type * as Option from "effect/Option"

export interface BackupFlags {
  readonly folder: string
  readonly config: Option.Option<string>
  readonly data: Option.Option<string>
  readonly json: boolean
}

export interface RestoreFlags extends BackupFlags {
  readonly replace: boolean
}
