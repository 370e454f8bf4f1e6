#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""pyverbs_ktap.py FOLDER NAME[,NAME...] [OPTION...]: some of rdma-core's tests.

FOLDER holds the package "tests"; a NAME is a module or a test in one; the options are
those of its run_tests.py. PYVERBS_SKIP, a line "TEST=REASON" for each, names tests that
this device can't pass.
Reports each test as a KTAP line of a nested test, at once, so that a crash
afterwards does not take the results with it. Tracebacks go to standard error.
"""
import os
import sys
import unittest


class KtapResult(unittest.TestResult):
    """Prints a line for each test."""

    def say(self, test, result, directive=''):
        name = test.id().split('.', 2)[-1]
        print(f'  {result} {self.testsRun} {name}{directive}', flush=True)

    def complain(self, test, err):
        sys.stderr.write(f'{test.id()}:\n{self._exc_info_to_string(err, test)}\n')

    def addSuccess(self, test):
        self.say(test, 'ok')

    def addSkip(self, test, reason):
        self.say(test, 'ok', ' # SKIP ' + ' '.join(str(reason).split()))

    def addFailure(self, test, err):
        self.say(test, 'not ok')
        self.complain(test, err)

    def addError(self, test, err):
        if not hasattr(test, '_testMethodName'):
            print(f'  # {test.id()}: error')
        else:
            self.say(test, 'not ok')
        self.complain(test, err)

    def addExpectedFailure(self, test, err):
        self.say(test, 'ok')


def each_test(suite):
    """Suites hold suites."""
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from each_test(item)
        else:
            yield item


def leave_out(suite, lines):
    """Make tests that are named there skip themselves."""
    reasons = dict(line.split('=', 1) for line in lines.split('\n') if line)
    for test in each_test(suite):
        name = getattr(test, '_testMethodName', None)
        if name in reasons:
            setattr(test, name, unittest.skip(reasons[name])(getattr(test, name)))


def main():
    folder, names = sys.argv[1:3]
    os.chdir(folder)
    sys.path[:0] = [folder, os.path.join(folder, 'tests')]
    sys.argv = ['run_tests.py'] + sys.argv[3:]
    # The tests ask this parser, which may live in one of two places.
    try:
        from args_parser import parser
    except ImportError:
        from tests.args_parser import parser
    parser.parse_args()
    suite = unittest.defaultTestLoader.loadTestsFromNames(names.split(','))
    leave_out(suite, os.environ.get('PYVERBS_SKIP', ''))
    print(f'  KTAP version 1\n  1..{suite.countTestCases()}', flush=True)
    result = KtapResult()
    suite.run(result)
    print('# end of tests', flush=True)
    return not result.wasSuccessful()


if __name__ == '__main__':
    sys.exit(main())
