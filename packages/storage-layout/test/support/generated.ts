/** Runs generated modules. */
import { stripTypeScriptTypes } from "node:module"

import { Generate, Layout } from "@plumbline/storage-layout"
import { Result } from "effect"

/** Returns the exports of a module. */
export const load = async (text: string): Promise<any> => {
  const code = Buffer.from(stripTypeScriptTypes(text)).toString("base64")
  return import(/* @vite-ignore */ `data:text/javascript;base64,${code}`)
}

/** Returns the value that a generated module exports. */
export const run = async (text: string): Promise<any> => (await load(text)).layout

/** Generates a module from a layout, and reads the layout back from it. */
export const again = async (layout: Layout.Layout): Promise<Layout.Layout> =>
  Result.getOrThrow(Layout.fromSolc(await run(Generate.typescript(layout))))
