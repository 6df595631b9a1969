// The `uvu` of test files: the package itself, without the tests that `--case` does not select.
import { suite as uvuSuite } from 'uvu';

const words = process.env.TEST_CASE ?? '';

export const suite: typeof uvuSuite = (name, context) => {
  const whole = uvuSuite(name, context);
  if (words === '') return whole;
  const chosen: typeof whole = Object.assign((title: string, run: Parameters<typeof whole>[1]) => {
    if (`${name} ${title}`.includes(words)) whole(title, run);
  }, whole);
  return chosen;
};

export const test = suite();
