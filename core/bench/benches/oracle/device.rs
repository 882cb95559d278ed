//! A minimal Vulkan client that runs shaders on buffers.
//!
//! All objects are created for each run, which is waited for. Only storage and uniform buffers, push constants and
//! specialization constants are supported; fragment shaders are in `draw`.

use ash::vk;
use std::collections::BTreeMap;
use std::ffi::CString;
use vitrine_core::interp::Slot;

/// The inputs of a shader.
pub(crate) struct Dispatch<'d> {
    /// SPIR-V.
    pub(crate) words: &'d [u32],
    /// Name of the entry point.
    pub(crate) entry: &'d str,
    /// Bytes of each binding; `true` for a uniform buffer.
    pub(crate) buffers: &'d BTreeMap<Slot, (bool, Vec<Vec<u8>>)>,
    /// Bytes of the push constants.
    pub(crate) push: &'d [u8],
    /// Values of 32-bit specialization constants.
    pub(crate) specs: &'d [(u32, u32)],
    /// The command to run.
    pub(crate) work: Work,
}

/// The command that runs a shader.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    /// Dispatches workgroups.
    Groups([u32; 3]),
    /// Draws one triangle that fills a frame of this size.
    Frame([u32; 2]),
}

/// The results of a run.
#[derive(Default)]
pub(crate) struct Results {
    /// Bytes of each binding.
    pub(crate) buffers: BTreeMap<Slot, Vec<Vec<u8>>>,
    /// For each color location, the words of its pixels, four per pixel, row by row.
    pub(crate) colors: BTreeMap<u32, Vec<u32>>,
}

/// An open driver.
pub(crate) struct Device {
    _entry: ash::Entry,
    instance: ash::Instance,
    pub(super) device: ash::Device,
    queue: vk::Queue,
    pool: vk::CommandPool,
    memory_type: u32,
    /// The name of the driver, with its version.
    pub(crate) name: String,
    /// The subgroup size.
    pub(crate) subgroup: u32,
}

/// Stages that access the bindings.
const STAGES: vk::ShaderStageFlags = vk::ShaderStageFlags::from_raw(
    vk::ShaderStageFlags::COMPUTE.as_raw() | vk::ShaderStageFlags::FRAGMENT.as_raw(),
);

impl Dispatch<'_> {
    fn kind(&self, slot: &Slot) -> vk::DescriptorType {
        match self.buffers[slot].0 {
            true => vk::DescriptorType::UNIFORM_BUFFER,
            false => vk::DescriptorType::STORAGE_BUFFER,
        }
    }

    /// The name of the entry point as a C string.
    pub(super) fn name(&self) -> Failure<CString> {
        CString::new(self.entry).map_err(|_| "a name with a zero".to_owned())
    }

    /// Specialization constants as map entries and data.
    pub(super) fn special(&self) -> (Vec<vk::SpecializationMapEntry>, Vec<u8>) {
        let entry = |(at, &(id, _)): (u32, &(u32, u32))| {
            vk::SpecializationMapEntry::default().constant_id(id).offset(at * 4).size(4)
        };
        let data = self.specs.iter().flat_map(|(_, value)| value.to_le_bytes()).collect();
        ((0u32..).zip(self.specs).map(entry).collect(), data)
    }
}

/// A buffer that is visible to host and device.
pub(super) struct Buffer {
    pub(super) buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    size: u64,
}

pub(super) type Failure<T> = Result<T, String>;

pub(super) fn context(action: &'static str) -> impl Fn(vk::Result) -> String {
    move |error| format!("{action}: {error}")
}

impl Device {
    /// Opens the first driver that runs on the CPU; the error is the reason why there is none.
    pub(crate) fn open() -> Failure<Device> {
        // SAFETY: the Vulkan loader of the system is trusted; all handles below live as long as the device.
        unsafe {
            let entry = ash::Entry::load().map_err(|error| format!("no Vulkan loader: {error}"))?;
            let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_2);
            let info = vk::InstanceCreateInfo::default().application_info(&app);
            let instance = entry.create_instance(&info, None).map_err(context("no instance"))?;
            let all = instance.enumerate_physical_devices().map_err(context("no devices"))?;
            let of_processor = |&&one: &&vk::PhysicalDevice| {
                instance.get_physical_device_properties(one).device_type == vk::PhysicalDeviceType::CPU
            };
            let Some(&physical) = all.iter().find(of_processor) else {
                return Err("no driver that runs on the CPU".to_owned());
            };
            let mut v12 = vk::PhysicalDeviceVulkan12Features::default();
            let mut v11 = vk::PhysicalDeviceVulkan11Features::default();
            let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut v11).push_next(&mut v12);
            instance.get_physical_device_features2(physical, &mut features);
            // The driver also checks bounds; out-of-bounds accesses are excluded from the comparison.
            features.features.robust_buffer_access = vk::TRUE;
            let queues =
                [vk::DeviceQueueCreateInfo::default().queue_family_index(0).queue_priorities(&[1.0])];
            let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).push_next(&mut features);
            let device = instance.create_device(physical, &info, None).map_err(context("no device"))?;
            let pool = vk::CommandPoolCreateInfo::default();
            let pool = device.create_command_pool(&pool, None).map_err(context("no command pool"))?;
            let memory = instance.get_physical_device_memory_properties(physical);
            let required = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let types = memory.memory_types_as_slice();
            let memory_type =
                types.iter().position(|kind| kind.property_flags.contains(required)).unwrap_or(0);
            let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
            let mut driver = vk::PhysicalDeviceDriverProperties::default();
            let mut properties =
                vk::PhysicalDeviceProperties2::default().push_next(&mut subgroup).push_next(&mut driver);
            instance.get_physical_device_properties2(physical, &mut properties);
            let text = |chars: &[std::ffi::c_char]| {
                let bytes = chars.iter().take_while(|&&char| char != 0);
                bytes.map(|&char| char as u8 as char).collect::<String>()
            };
            let name = format!("{} {}", text(&driver.driver_name), text(&driver.driver_info));
            Ok(Device {
                queue: device.get_device_queue(0, 0),
                subgroup: subgroup.subgroup_size,
                memory_type: memory_type as u32,
                _entry: entry,
                instance,
                device,
                pool,
                name,
            })
        }
    }

    /// Runs a shader and returns its results. `colors` are the color locations that it writes, with their formats.
    pub(crate) fn run(&self, dispatch: &Dispatch<'_>, colors: &[(u32, vk::Format)]) -> Failure<Results> {
        let mut created = Created::new(&self.device);
        let mut results = Results::default();
        // SAFETY: the caller has validated the module; all created objects are in `created`, which outlives their use.
        unsafe {
            let mut buffers = BTreeMap::new();
            for (&slot, (uniform, list)) in dispatch.buffers {
                let usage = match uniform {
                    true => vk::BufferUsageFlags::UNIFORM_BUFFER,
                    false => vk::BufferUsageFlags::STORAGE_BUFFER,
                };
                let filled = list.iter().map(|bytes| self.fill(bytes, usage, &mut created));
                buffers.insert(slot, filled.collect::<Failure<Vec<_>>>()?);
            }
            self.lay_out(dispatch, &buffers, &mut created)?;
            let sets = self.bind(dispatch, &buffers, &mut created)?;
            match dispatch.work {
                Work::Groups(groups) => self.compute(dispatch, groups, &sets, &mut created)?,
                Work::Frame(frame) => {
                    results.colors = self.draw(dispatch, frame, colors, &sets, &mut created)?;
                }
            }
            for (&slot, list) in &buffers {
                let lengths = dispatch.buffers[&slot].1.iter().map(Vec::len);
                let read = list.iter().zip(lengths).map(|(one, length)| self.read(one, length));
                results.buffers.insert(slot, read.collect::<Failure<Vec<_>>>()?);
            }
        }
        Ok(results)
    }

    /// The first bytes of a buffer.
    pub(super) unsafe fn read(&self, one: &Buffer, length: usize) -> Failure<Vec<u8>> {
        let flags = vk::MemoryMapFlags::empty();
        // SAFETY: as for `run`.
        unsafe {
            let at = self.device.map_memory(one.memory, 0, one.size, flags).map_err(context("no mapping"))?;
            let bytes = std::slice::from_raw_parts(at.cast::<u8>(), length.min(one.size as usize)).to_vec();
            self.device.unmap_memory(one.memory);
            Ok(bytes)
        }
    }

    /// Creates a buffer with these bytes.
    pub(super) unsafe fn fill(
        &self,
        bytes: &[u8],
        usage: vk::BufferUsageFlags,
        created: &mut Created<'_>,
    ) -> Failure<Buffer> {
        let info = vk::BufferCreateInfo::default().size(bytes.len().max(4) as u64).usage(usage);
        // SAFETY: as for `run`.
        unsafe {
            let buffer = self.device.create_buffer(&info, None).map_err(context("no buffer"))?;
            created.buffers.push(buffer);
            let memory = self.memory(self.device.get_buffer_memory_requirements(buffer).size, created)?;
            let size = self.device.get_buffer_memory_requirements(buffer).size;
            self.device.bind_buffer_memory(buffer, memory, 0).map_err(context("no binding"))?;
            let flags = vk::MemoryMapFlags::empty();
            let at = self.device.map_memory(memory, 0, size, flags).map_err(context("no mapping"))?;
            std::ptr::write_bytes(at.cast::<u8>(), 0, size as usize);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), at.cast::<u8>(), bytes.len());
            self.device.unmap_memory(memory);
            Ok(Buffer { buffer, memory, size })
        }
    }

    /// Allocates memory.
    pub(super) unsafe fn memory(&self, size: u64, created: &mut Created<'_>) -> Failure<vk::DeviceMemory> {
        let info =
            vk::MemoryAllocateInfo::default().allocation_size(size).memory_type_index(self.memory_type);
        // SAFETY: as for `run`.
        let memory = unsafe { self.device.allocate_memory(&info, None) }.map_err(context("no memory"))?;
        created.memories.push(memory);
        Ok(memory)
    }

    /// Creates the descriptor and pipeline layouts, and the shader.
    unsafe fn lay_out(
        &self,
        dispatch: &Dispatch<'_>,
        buffers: &BTreeMap<Slot, Vec<Buffer>>,
        created: &mut Created<'_>,
    ) -> Failure<()> {
        // SAFETY: as for `run`.
        unsafe {
            let sets = buffers.keys().map(|&(set, _)| set + 1).max().unwrap_or(0);
            for set in 0..sets {
                let of_set = buffers.iter().filter(|(slot, _)| slot.0 == set);
                let binding = |(slot, list): (&Slot, &Vec<Buffer>)| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(slot.1)
                        .descriptor_type(dispatch.kind(slot))
                        .descriptor_count(list.len() as u32)
                        .stage_flags(STAGES)
                };
                let bindings: Vec<_> = of_set.map(binding).collect();
                let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
                let layout =
                    self.device.create_descriptor_set_layout(&info, None).map_err(context("no layout"))?;
                created.layouts.push(layout);
            }
            let size = dispatch.push.len() as u32;
            let pushes = [vk::PushConstantRange::default().stage_flags(STAGES).size(size)];
            let mut info = vk::PipelineLayoutCreateInfo::default().set_layouts(&created.layouts);
            if !dispatch.push.is_empty() {
                info = info.push_constant_ranges(&pushes);
            }
            created.pipeline_layout =
                self.device.create_pipeline_layout(&info, None).map_err(context("no layout"))?;
            let info = vk::ShaderModuleCreateInfo::default().code(dispatch.words);
            created.shader = self.device.create_shader_module(&info, None).map_err(context("no shader"))?;
        }
        Ok(())
    }

    unsafe fn compute(
        &self,
        dispatch: &Dispatch<'_>,
        [x, y, z]: [u32; 3],
        sets: &[vk::DescriptorSet],
        created: &mut Created<'_>,
    ) -> Failure<()> {
        let (entries, data) = dispatch.special();
        let special = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
        let name = dispatch.name()?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(created.shader)
            .name(&name)
            .specialization_info(&special);
        let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(created.pipeline_layout);
        // SAFETY: as for `run`.
        unsafe {
            let pipelines = self.device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
            created.pipeline = pipelines.map_err(|(_, error)| format!("no pipeline: {error}"))?[0];
            self.submit(|list| {
                self.bound(list, vk::PipelineBindPoint::COMPUTE, dispatch, sets, created);
                self.device.cmd_dispatch(list, x, y, z);
            })
        }
    }

    /// Binds the pipeline and its descriptors.
    pub(super) unsafe fn bound(
        &self,
        list: vk::CommandBuffer,
        point: vk::PipelineBindPoint,
        dispatch: &Dispatch<'_>,
        sets: &[vk::DescriptorSet],
        created: &Created<'_>,
    ) {
        // SAFETY: as for `run`.
        unsafe {
            self.device.cmd_bind_pipeline(list, point, created.pipeline);
            if !sets.is_empty() {
                self.device.cmd_bind_descriptor_sets(list, point, created.pipeline_layout, 0, sets, &[]);
            }
            if !dispatch.push.is_empty() {
                self.device.cmd_push_constants(list, created.pipeline_layout, STAGES, 0, dispatch.push);
            }
        }
    }

    /// Records commands, runs them and waits for them.
    pub(super) unsafe fn submit(&self, record: impl FnOnce(vk::CommandBuffer)) -> Failure<()> {
        let info = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
        let begin = vk::CommandBufferBeginInfo::default();
        let failure = context("not run");
        // SAFETY: as for `run`.
        unsafe {
            let lists = self.device.allocate_command_buffers(&info).map_err(&failure)?;
            self.device.begin_command_buffer(lists[0], &begin).map_err(&failure)?;
            record(lists[0]);
            self.device.end_command_buffer(lists[0]).map_err(&failure)?;
            let submit = [vk::SubmitInfo::default().command_buffers(&lists)];
            self.device.queue_submit(self.queue, &submit, vk::Fence::null()).map_err(&failure)?;
            self.device.queue_wait_idle(self.queue).map_err(&failure)?;
            self.device.free_command_buffers(self.pool, &lists);
        }
        Ok(())
    }

    unsafe fn bind(
        &self,
        dispatch: &Dispatch<'_>,
        buffers: &BTreeMap<Slot, Vec<Buffer>>,
        created: &mut Created<'_>,
    ) -> Failure<Vec<vk::DescriptorSet>> {
        if created.layouts.is_empty() {
            return Ok(Vec::new());
        }
        let most = buffers.values().map(Vec::len).sum::<usize>().max(1) as u32;
        let sizes = [vk::DescriptorType::UNIFORM_BUFFER, vk::DescriptorType::STORAGE_BUFFER]
            .map(|kind| vk::DescriptorPoolSize::default().ty(kind).descriptor_count(most));
        let info =
            vk::DescriptorPoolCreateInfo::default().max_sets(created.layouts.len() as u32).pool_sizes(&sizes);
        // SAFETY: as for `run`.
        unsafe {
            created.pool =
                self.device.create_descriptor_pool(&info, None).map_err(context("no descriptors"))?;
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(created.pool)
                .set_layouts(&created.layouts);
            let sets = self.device.allocate_descriptor_sets(&info).map_err(context("no descriptors"))?;
            for (slot, list) in buffers {
                let infos: Vec<_> = list
                    .iter()
                    .map(|one| vk::DescriptorBufferInfo::default().buffer(one.buffer).range(vk::WHOLE_SIZE))
                    .collect();
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(sets[slot.0 as usize])
                    .dst_binding(slot.1)
                    .descriptor_type(dispatch.kind(slot))
                    .buffer_info(&infos);
                self.device.update_descriptor_sets(&[write], &[]);
            }
            Ok(sets)
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: all objects created from these are destroyed.
        unsafe {
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

macro_rules! created {
    ($($field:ident: $ty:ty = $destroy:ident;)*) => {
        /// Objects created for a run, destroyed after it.
        pub(super) struct Created<'d> {
            device: &'d ash::Device,
            pub(super) layouts: Vec<vk::DescriptorSetLayout>,
            pub(super) buffers: Vec<vk::Buffer>,
            pub(super) images: Vec<vk::Image>,
            pub(super) views: Vec<vk::ImageView>,
            pub(super) memories: Vec<vk::DeviceMemory>,
            $(pub(super) $field: $ty,)*
        }

        impl<'d> Created<'d> {
            fn new(device: &'d ash::Device) -> Created<'d> {
                Created {
                    device,
                    layouts: Vec::new(),
                    buffers: Vec::new(),
                    images: Vec::new(),
                    views: Vec::new(),
                    memories: Vec::new(),
                    $($field: <$ty>::null(),)*
                }
            }
        }

        impl Drop for Created<'_> {
            fn drop(&mut self) {
                // SAFETY: the queue is idle; all of these calls accept null handles.
                unsafe {
                    $(self.device.$destroy(self.$field, None);)*
                    self.layouts.iter().for_each(|&it| self.device.destroy_descriptor_set_layout(it, None));
                    self.views.iter().for_each(|&it| self.device.destroy_image_view(it, None));
                    self.buffers.iter().for_each(|&it| self.device.destroy_buffer(it, None));
                    self.images.iter().for_each(|&it| self.device.destroy_image(it, None));
                    self.memories.iter().for_each(|&it| self.device.free_memory(it, None));
                }
            }
        }
    };
}

created! {
    frame: vk::Framebuffer = destroy_framebuffer;
    pipeline: vk::Pipeline = destroy_pipeline;
    pass: vk::RenderPass = destroy_render_pass;
    shader: vk::ShaderModule = destroy_shader_module;
    vertex: vk::ShaderModule = destroy_shader_module;
    pipeline_layout: vk::PipelineLayout = destroy_pipeline_layout;
    pool: vk::DescriptorPool = destroy_descriptor_pool;
}
