// Tests the order in which the addresses of a list are verified.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AddressRotation, type Taken } from './address-rotation.ts'

interface Address {
  readonly email: string
}

const of = (domain: string, count: number): Address[] =>
  Array.from({ length: count }, (_, index) => ({ email: `${index}@${domain}` }))

function rotationOf(perDomain: number, addresses: readonly Address[]): AddressRotation<Address> {
  const rotation = new AddressRotation<Address>(perDomain)
  for (const address of addresses) rotation.add(address)
  return rotation
}

/** Takes every address that can be taken at once. */
function takeAll(rotation: AddressRotation<Address>): Taken<Address>[] {
  const all: Taken<Address>[] = []
  for (let one = rotation.take(); one !== undefined; one = rotation.take()) all.push(one)
  return all
}

const domainOf = ({ address }: Taken<Address>): string => address.email.split('@')[1] ?? ''

test('few addresses of one domain are taken at once, whatever the case of the domain', () => {
  const rotation = rotationOf(2, [
    ...of('large.example', 3),
    ...of('LARGE.example', 3),
    ...of('b.example', 1),
  ])
  const taken = takeAll(rotation)
  assert.deepEqual(
    taken.map(({ address }) => address.email),
    ['0@large.example', '1@large.example', '0@b.example'],
  )
  assert.equal(rotation.size, 4)
  rotation.giveBack(taken[0] as Taken<Address>)
  assert.equal(takeAll(rotation).length, 1)
})

test('a domain has twenty addresses in a row, and then other domains have their turn', () => {
  const rotation = rotationOf(1, [...of('large.example', 45), ...of('other.example', 25)])
  const order: string[] = []
  for (let one = rotation.take(); one !== undefined; one = rotation.take()) {
    order.push(domainOf(one))
    rotation.giveBack(one)
  }
  const inARow = order
    .join(' ')
    .match(/(\S+)( \1)*/g)
    ?.map((row) => row.split(' ').length)
  assert.deepEqual(inARow, [20, 20, 20, 5, 5])
  assert.equal(rotation.size, 0)
})

test('a domain whose addresses are all taken may come back later', () => {
  const rotation = rotationOf(1, of('a.example', 1))
  const [first] = takeAll(rotation)
  rotation.giveBack(first as Taken<Address>)
  assert.equal(rotation.take(), undefined)
  rotation.add({ email: 'late@a.example' })
  assert.equal(rotation.take()?.address.email, 'late@a.example')
})
