/** The environments, in the order in which they run. */
import { chromiumPage } from "./bundlers/chromiumPage.ts"
import { esbuild } from "./bundlers/esbuild.ts"
import { rollup } from "./bundlers/rollup.ts"
import { vite } from "./bundlers/vite.ts"
import { webpack } from "./bundlers/webpack.ts"
import { floor } from "./peers/floor.ts"
import { twoEffects } from "./peers/twoEffects.ts"
import type { Environment } from "./place.ts"
import { bun } from "./runtimes/bun.ts"
import { deno } from "./runtimes/deno.ts"
import { node22 } from "./runtimes/node22.ts"
import { node24 } from "./runtimes/node24.ts"
import { pnpm } from "./runtimes/pnpm.ts"
import { declarations } from "./types/declarations.ts"
import { typescript6 } from "./types/typescript6.ts"
import { typescript7 } from "./types/typescript7.ts"
import { typescript59 } from "./types/typescript59.ts"
import { withoutDom } from "./types/withoutDom.ts"

export const environments: ReadonlyArray<Environment> = [
  node24,
  node22,
  pnpm,
  bun,
  deno,
  esbuild,
  rollup,
  vite,
  webpack,
  chromiumPage,
  typescript59,
  typescript6,
  typescript7,
  withoutDom,
  declarations,
  floor,
  twoEffects
]
