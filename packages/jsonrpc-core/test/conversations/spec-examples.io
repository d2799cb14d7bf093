// The examples of JSON-RPC 2.0, section 7, with our texts of the errors.
// positional parameters
>> {"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}
<< {"jsonrpc":"2.0","id":1,"result":19}
>> {"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}
<< {"jsonrpc":"2.0","id":2,"result":-19}

// named parameters, in any order
>> {"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}
<< {"jsonrpc":"2.0","id":3,"result":19}
>> {"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}
<< {"jsonrpc":"2.0","id":4,"result":19}

// notifications, one of them of a method that does not exist
>> {"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}
<<
>> {"jsonrpc": "2.0", "method": "foobar"}
<<

// a method that does not exist
>> {"jsonrpc": "2.0", "method": "foobar", "id": "1"}
<< {"jsonrpc":"2.0","id":"1","error":{"code":-32601,"message":"the method foobar does not exist/is not available"}}

// invalid JSON
>> {"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}

// an invalid request
>> {"jsonrpc": "2.0", "method": 1, "params": "bar"}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}

// a batch of invalid JSON
>> [
>>   {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
>>   {"jsonrpc": "2.0", "method"
>> ]
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}

// an empty array
>> []
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"empty batch"}}

// invalid batches that are not empty
>> [1]
<< [{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}]
>> [1,2,3]
<< [{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}]

// a batch of everything
>> [
>>   {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
>>   {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
>>   {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
>>   {"foo": "boo"},
>>   {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
>>   {"jsonrpc": "2.0", "method": "get_data", "id": "9"}
>> ]
<< [{"jsonrpc":"2.0","id":"1","result":7},{"jsonrpc":"2.0","id":"2","result":19},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}},{"jsonrpc":"2.0","id":"5","error":{"code":-32601,"message":"the method foo.get does not exist/is not available"}},{"jsonrpc":"2.0","id":"9","result":["hello",5]}]

// a batch of notifications
>> [
>>   {"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},
>>   {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}
>> ]
<<
