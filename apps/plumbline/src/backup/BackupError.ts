import * as Schema from "effect/Schema"

/**
 * A backup cannot be made or restored. Nothing was changed.
 *
 * | problem | cause |
 * | --- | --- |
 * | `Missing` | there is no backup, or the first one did not end |
 * | `Foreign` | another program wrote the folder, or the backup is of another kind of state; `detail` says which |
 * | `OtherService` | the folder has the backups of another service |
 * | `Newer` | a newer version made it; `detail` names the version |
 * | `Damaged` | bytes differ from those that were written; `detail` names the file |
 * | `NotEmpty` | the place to restore to holds a service |
 * | `NoProgram` | a program of Postgres is not installed; `detail` is its name |
 * | `Refused` | a program of Postgres failed; `lines` is what it said |
 */
export class BackupError extends Schema.TaggedError<BackupError>()("BackupError", {
  path: Schema.String,
  problem: Schema.Literals([
    "Missing",
    "Foreign",
    "OtherService",
    "Newer",
    "Damaged",
    "NotEmpty",
    "NoProgram",
    "Refused"
  ]),
  detail: Schema.String,
  lines: Schema.optionalKey(Schema.Array(Schema.String))
}) {
  override get message(): string {
    const { detail, path } = this
    switch (this.problem) {
      case "Missing":
        return `there is no complete backup in ${path}. Make one with "plumbline backup"`
      case "Foreign":
        return `${path} is not a backup to use here: ${detail}. Choose another folder`
      case "OtherService":
        return `${path} has the backups of another service. Choose another folder`
      case "Newer":
        return `the backup in ${path} was made by a newer version: ${detail}. Install that version`
      case "Damaged":
        return `the backup in ${path} is damaged: ${detail}. Nothing was changed. Remove that file and back up again, or use another copy`
      case "NotEmpty":
        return `${path} holds a service already. ${detail}`
      case "NoProgram":
        return `${detail} is not installed. Install the client programs of Postgres, of the server's version or newer`
      case "Refused":
        return `${detail} failed`
    }
  }
}
