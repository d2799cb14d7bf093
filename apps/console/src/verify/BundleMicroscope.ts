/**
 * The microscope for the values of a bundle. The verify screen's single file contains the microscope; the site loads it
 * after the first rendering.
 */
import { type ComponentProps, createContext, type ReactNode } from "react"

import type { MicroscopeStage } from "../microscope/MicroscopeStage.tsx"

/**
 * Provides the function that renders the microscope for a value. Each entry point of the verify screen provides its own
 * function.
 */
export const Microscope = createContext<(value: ComponentProps<typeof MicroscopeStage>) => ReactNode>(() => null)
