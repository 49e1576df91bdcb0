import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { htmlSupport } from './html-support.ts'

describe('the support of a mail', () => {
  it('is complete for plain elements', () => {
    const { lacking, supported, partial, unsupported, elements } = htmlSupport('<p>Hi <b>there</b></p>')
    assert.deepEqual([lacking, supported, partial, unsupported, elements], [[], 100, 0, 0, 2])
  })

  it('names the features that a program lacks, with the number of their places', () => {
    const html =
      '<style>.a{position:absolute}</style><div style="display:flex"><p class="a">Hi</p><form><p></p></form></div>'
    const { lacking, elements, unsupported, partial, supported } = htmlSupport(html)
    const found = new Map(lacking.map((one) => [one.feature, one]))
    assert.equal(elements, 5)
    for (const feature of ['css-display-flex', 'css-position', 'html-form']) {
      const one = found.get(feature)
      assert.equal(one?.found, 1, feature)
      assert.ok(
        one.programs.some(({ support }) => support === 'no'),
        feature,
      )
      assert.ok(Math.abs(one.supported + one.partial + one.unsupported - 100) < 0.001, feature)
    }
    const flex = found.get('css-display-flex')?.programs
    assert.deepEqual(
      flex?.find(({ family, platform }) => family === 'outlook' && platform === 'windows'),
      { family: 'outlook', platform: 'windows', support: 'no' },
    )
    assert.ok(unsupported > 0 && Math.abs(supported + partial + unsupported - 100) < 0.001)
  })

  it('counts no more places than there are elements, and reads hostile HTML in bounded time', () => {
    const many = htmlSupport(`<div style="${'display:flex;'.repeat(1_000)}"></div>`)
    assert.ok(many.supported >= 0 && many.unsupported <= 100)
    for (const html of ['<div>'.repeat(100_000), `<style>${'a{'.repeat(300_000)}`, '<'.repeat(500_000), '']) {
      assert.ok(htmlSupport(html).supported <= 100)
    }
  })
})
