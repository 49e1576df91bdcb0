// Tests that the measured depth of HTML equals the depth in the libraries, and that measuring is fast.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cpuWatch } from '../../test/support/cpu-time.ts'
import { isDeeperThan } from './html-depth.ts'

const depth = (html: string): number => {
  let limit = 0
  while (isDeeperThan(html, limit)) limit++
  return limit
}

describe('depth of HTML', () => {
  const cases: readonly (readonly [html: string, depth: number])[] = [
    ['', 0],
    ['a < b <3 <', 0],
    ['<div><b>x</b></div><div></div>', 2],
    ['<table><tr><td><table><tr><td>x</table></table><table></table>', 2],
    ['<p>a<p>b<p>c<ul><li>a<li>b</ul>', 1],
    ['<br><hr/><img src="a>b"><div>x</div>', 1],
    ["<a title='\"</a>'>x</a><a>y</a>", 1],
    ['<!-- <div><div><div> --><i></i>', 1],
    ['<style>a>b{}<div><div></style><b></b><title><div></title>', 1],
    ['</div></div><div></div>', 1],
    // `/>` closes no element in HTML, but closes every element in SVG.
    ['<div/><div/><div/>', 3],
    ['<svg><path/><path/><g><path/></g></svg><b></b>', 2],
    ['<!-- <div><div>', 0],
    ['<div a="<div><div>', 0],
  ]
  for (const [html, expected] of cases) {
    test(`${JSON.stringify(html)} is ${expected} deep`, () => assert.equal(depth(html), expected))
  }

  const hostile = [
    '<div>',
    '<a "',
    '<a b="',
    `<a '"`,
    '<!--',
    '<style',
    '<style></',
    '<title></title ',
    '<title><title>',
    '<',
    '</',
    '<br x=""',
    '<a x',
  ]
  for (const piece of hostile) {
    test(`a megabyte of ${piece} is looked through at once`, () => {
      const used = cpuWatch()
      isDeeperThan(piece.repeat(1_000_000 / piece.length), 256)
      assert.ok(used() < 1_000)
    })
  }
})
