-- Sends the request in a file again and again, with the placeholders in braces replaced, and prints the counts as JSON.
-- Arguments: the file, the number of companies, a name for the run, the mean pause of a connection before each call in
-- milliseconds, and one address for each thread.
local threads = 0

function setup(thread)
  threads = threads + 1
  thread:set("number", threads)
end

function init(args)
  local file = assert(io.open(args[1], "rb"))
  template = file:read("*a")
  file:close()
  companies = tonumber(args[2])
  run = args[3] .. "-" .. number
  calls = 0
  local pause_ms = tonumber(args[4])
  if pause_ms > 0 then
    math.randomseed(number)
    -- Random pauses, so that the calls do not come in bursts.
    function delay()
      return -pause_ms * math.log(1 - math.random())
    end
  end
  local host, port = args[4 + number]:match("^([^:]+):(%d+)$")
  wrk.thread.addr = assert(wrk.lookup(host, port)[1], "no such address")
end

function request()
  local words = {
    company = 1 + calls % companies,
    key = run .. "-" .. calls,
    serial = string.format("%06d", calls % 1000000)
  }
  calls = calls + 1
  return (template:gsub("{(%a+)}", words))
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(
    string.format(
      '\n{"answered":%d,"refused":%d,"broken":%d,"seconds":%f,"p50_ms":%f,"p99_ms":%f,"p999_ms":%f,"longest_ms":%f}\n',
      summary.requests,
      errors.status,
      errors.connect + errors.read + errors.write + errors.timeout,
      summary.duration / 1e6,
      latency:percentile(50) / 1e3,
      latency:percentile(99) / 1e3,
      latency:percentile(99.9) / 1e3,
      latency.max / 1e3
    )
  )
end
