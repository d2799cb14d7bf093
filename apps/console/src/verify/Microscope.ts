/**
 * The microscope for the values of a bundle: the single file contains it, and the site loads it after the first
 * rendering.
 */
import { type ComponentProps, createContext, type ReactNode } from "react"

import type { Scope } from "../microscope/Scope.tsx"

/** Returns the microscope over a value. Each entry of the verify screen gives its own. */
export const Microscope = createContext<(value: ComponentProps<typeof Scope>) => ReactNode>(() => null)
