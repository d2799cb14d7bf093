/** Named lies that a transport tells, to test if a client detects them. */
export * as Catalogue from "./catalogue/Catalogue.ts"
export * as Lie from "./lie/Lie.ts"
export * as Tamper from "./tell/Tamper.ts"
