/** The variables of a contract that a command is about: the named ones, or all. */
import type { Layout } from "@plumbline/storage-layout/layout/Layout"
import * as Location from "@plumbline/storage-layout/location/Location"
import type { PathError } from "@plumbline/storage-layout/path/PathError"
import * as Everything from "@plumbline/storage-layout/read/Readable"
import * as Result from "effect/Result"

/** The selected variables with their places, and the variables that were left out if the whole layout was selected. */
export interface VariableSelection {
  readonly locations: ReadonlyArray<Location.Location>
  readonly left: ReadonlyArray<Everything.LeftOutVariable>
}

/** Finds the variables that paths name; without paths, all variables of the layout. */
export const find = (layout: Layout, paths: ReadonlyArray<string>): Result.Result<VariableSelection, PathError> =>
  paths.length === 0
    ? Result.succeed(Everything.locate(layout))
    : Result.map(Result.all(paths.map((path) => Location.locate(layout, path))), (locations) => ({
        locations,
        left: []
      }))
