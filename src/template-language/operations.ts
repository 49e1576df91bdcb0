// Operations of templates in addition to the grammar, with the names that users of other services know.

import { asDouble, canonicalNumber, isWrittenNumber } from '../lib/written-numbers.ts'
import type { Charge, Operation } from './tree.ts'
import { isNothing, isZero, ownProperty, textOf } from './values.ts'

/** An operation, and the number of its arguments. */
export interface OperationRule {
  readonly operation: Operation
  readonly least: number
  readonly most: number
}

const isTrue = (value: unknown): boolean => !isNothing(value) && !isZero(value)

/**
 * Compares numbers and texts by their printed form, and numbers in two spellings by their value. A list or an object is
 * equal only to itself; a missing value is equal to null.
 */
const equal: Operation = ([one, other], charge) => {
  if (isMissing(one) && isMissing(other)) return true
  if (isCompound(one) || isCompound(other)) return one === other
  const [a, b] = [textOf(one, charge), textOf(other, charge)]
  charge(Math.min(a.length, b.length))
  if (a === b) return true
  if (!isNumber(one) && !isNumber(other)) return false
  charge(a.length + b.length)
  const number = canonicalNumber(a)
  return number !== undefined && number === canonicalNumber(b)
}

const isMissing = (value: unknown): boolean => value === null || value === undefined

/** True for lists, objects and null. */
const isCompound = (value: unknown): boolean => typeof value === 'object' && !isWrittenNumber(value)

const isNumber = (value: unknown): boolean => typeof value === 'number' || isWrittenNumber(value)

/**
 * Compares two values: as numbers if both values can be read as numbers, and as texts if both values are texts. Returns
 * a negative number if the first value is less, and NaN for values that cannot be compared.
 */
function compare(one: unknown, other: unknown, charge: Charge): number {
  const [a, b] = [numberOf(one), numberOf(other)]
  if (a !== undefined && b !== undefined) return a === b ? compareWhole(one, other, charge) : a - b
  if (typeof one !== 'string' || typeof other !== 'string') return NaN
  charge(2 * Math.min(one.length, other.length))
  return one < other ? -1 : one > other ? 1 : 0
}

/** Compares two numbers that are equal as doubles, because long integers may still differ. */
function compareWhole(one: unknown, other: unknown, charge: Charge): number {
  const texts = [textOf(one, charge), textOf(other, charge)]
  if (!texts.every((text) => WHOLE.test(text))) return 0
  const [a = 0n, b = 0n] = texts.map(BigInt)
  return a < b ? -1 : a > b ? 1 : 0
}

const WHOLE = /^-?\d{16,40}$/

function numberOf(value: unknown): number | undefined {
  const known = asDouble(value)
  if (typeof known === 'number') return known
  // Booleans convert to numbers as in JavaScript, and as in the services that this language imitates.
  if (typeof known === 'boolean') return Number(known)
  if (typeof known !== 'string' || known.length > MAX_NUMBER || known.trim() === '') return undefined
  const number = Number(known)
  return Number.isNaN(number) ? undefined : number
}

const MAX_NUMBER = 40

/** Returns an operation that changes the letters of a text. */
const changed =
  (change: (text: string) => string): Operation =>
  ([value], charge) => {
    const text = textOf(value, charge)
    charge(text.length)
    return change(text)
  }

const titleCase = (text: string): string =>
  text.toLowerCase().replace(/(^|[\s-])(\p{L})/gu, (_, before, letter) => before + letter.toUpperCase())

const DEFAULT = 'default='

/** Returns the value, or the default if the value is missing: `{{insert name "default=Customer"}}`. */
const insert: Operation = ([value, otherwise]) => {
  if (!isNothing(value)) return value
  return typeof otherwise === 'string' && otherwise.startsWith(DEFAULT)
    ? otherwise.slice(DEFAULT.length)
    : otherwise
}

const length: Operation = ([value]) =>
  Array.isArray(value) || typeof value === 'string' ? value.length : undefined

const lookup: Operation = ([value, name], charge) => {
  const text = textOf(name, charge)
  charge(text.length)
  return ownProperty(value, text)
}

const COMPARISONS: Readonly<Record<string, OperationRule>> = {
  equals: { operation: equal, least: 2, most: 2 },
  equal: { operation: equal, least: 2, most: 2 },
  notEquals: { operation: (args, charge) => !equal(args, charge), least: 2, most: 2 },
  greaterThan: { operation: ([one, other], charge) => compare(one, other, charge) > 0, least: 2, most: 2 },
  lessThan: { operation: ([one, other], charge) => compare(one, other, charge) < 0, least: 2, most: 2 },
  and: { operation: (args) => args.every(isTrue), least: 2, most: 20 },
  or: { operation: (args) => args.some(isTrue), least: 2, most: 20 },
}

const VALUES: Readonly<Record<string, OperationRule>> = {
  lookup: { operation: lookup, least: 2, most: 2 },
  length: { operation: length, least: 1, most: 1 },
  insert: { operation: insert, least: 1, most: 2 },
  upper: { operation: changed((text) => text.toUpperCase()), least: 1, most: 1 },
  lower: { operation: changed((text) => text.toLowerCase()), least: 1, most: 1 },
  title: { operation: changed(titleCase), least: 1, most: 1 },
  url: { operation: changed((text) => encodeURIComponent(text.toWellFormed())), least: 1, most: 1 },
}

/** Returns the operation of this name. */
export const findOperation = (name: string): OperationRule | undefined =>
  Object.hasOwn(COMPARISONS, name)
    ? COMPARISONS[name]
    : Object.hasOwn(VALUES, name)
      ? VALUES[name]
      : undefined

/** Returns the comparison of this name, which may also begin a block. */
export const findComparison = (name: string): OperationRule | undefined =>
  Object.hasOwn(COMPARISONS, name) ? COMPARISONS[name] : undefined

/** Names of all operations. */
export const OPERATION_NAMES: readonly string[] = [...Object.keys(COMPARISONS), ...Object.keys(VALUES)]
