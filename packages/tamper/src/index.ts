/** Named lies that a transport tells, for tests of a client that must not be fooled. */
export * as Catalogue from "./catalogue/Catalogue.ts"
export * as Lie from "./lie/Lie.ts"
export * as Tamper from "./tell/Tamper.ts"
