/** Finds the values that a path of the configuration accepts. */
import * as Shape from "@plumbline/gateway/schema/Shape"

import { ConfigFile } from "./ConfigFile.ts"

/** Returns the shape at a path, or undefined if no setting can have that path. */
export const at = (path: Shape.Path): Shape.Shape | undefined => Shape.at(ConfigFile.ast, path)
